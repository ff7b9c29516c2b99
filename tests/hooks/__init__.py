"""Forms: read, proven and explained."""
