"""Speed beside what a user would otherwise run: ``python -m benchmarks``."""
