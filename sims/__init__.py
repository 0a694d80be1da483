"""Simulation studies that earn the library's claims; they import lcstats, never the reverse."""

import os

# A study fills the cores with processes; a second layer of threads in each would only fight them.
for variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
