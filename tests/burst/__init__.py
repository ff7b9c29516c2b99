"""A burst of website forms on the real program, which is killed in the middle."""
