"""Exact numbers, moments and tests. Knows no cards."""
