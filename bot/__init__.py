"""Telegram, settings, commands and wiring."""
