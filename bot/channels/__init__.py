"""How an approved reply leaves the company."""
