"""Data that ship with lcstats: published tables and demonstration results, as package data.

The simulated demonstration is no file: it is :func:`lcstats.truths.simulate_trials` on the
single-needle truth with a fixed seed.
"""
