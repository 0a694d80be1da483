"""Compiled kernels: arrays in, arrays out; they never see a table, a criterion or a law."""
