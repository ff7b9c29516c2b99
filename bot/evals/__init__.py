"""Evaluations: the agents' behaviour against what is expected of it, on the real engine, store and client."""
