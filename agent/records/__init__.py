"""The record classifier: reads one synthetic record through one tool and answers with a checked result."""
