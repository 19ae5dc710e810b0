"""What every test shares: one BLAS thread, and how many examples hypothesis tries."""

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    # Before numpy loads. Two workers with two threads each slow each other down, and the bytes
    # of a product differ between thread counts.
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from hypothesis import settings  # noqa: E402 -- it may load numpy

settings.register_profile("ci", derandomize=True, max_examples=40, deadline=None, database=None)
settings.register_profile("explore", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

pytest_plugins = ["pytester"]
