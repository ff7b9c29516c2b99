"""A website in front of the served bot."""

from tests.hooks_http.conftest import site, stopped

__all__ = ["site", "stopped"]
