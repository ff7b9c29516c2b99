"""The proof that `kill -9` at any point loses nothing and does nothing twice: `python -m tests.crash`."""
