"""The core: runs, proposals, tools and the loop.  No Telegram, no SQL, no web in here."""
