"""The lead agent: its prompt, its four tools, its task."""
