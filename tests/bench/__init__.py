"""Ratios and counts behind docs/performance.md: `python -m tests.bench [--quick] [--json FILE]`."""
