# opsweep_threads.py - one thread, where values must be the same everywhere
#
# A sum of several threads depends on how many they are.  Generators run in
# planning and in workers, on nodes with other numbers of cores.
#
# Upstream: opsweep_host.py, for generators.
import ctypes
import os
import re
import sys

VARIABLES = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"
LIBRARY = re.compile(r"/[^/]*(?:blas|mkl|omp)[^/]*\.so[^/]*$")
SETTERS = ("openblas_set_num_threads", "openblas_set_num_threads64_",
           "scipy_openblas_set_num_threads64_", "MKL_Set_Num_Threads",
           "omp_set_num_threads")


def loaded():
    """Paths of libraries with threads of their own that are loaded."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as f:
        paths = {line.rstrip("\n").partition("/")[2] for line in f}
    return sorted("/" + p for p in paths if LIBRARY.search("/" + p))


def take_one():
    """For libraries that are loaded, and those to come."""
    for variable in VARIABLES:
        os.environ[variable] = "1"
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    for path in loaded():
        try:
            library = ctypes.CDLL(path, os.RTLD_NOLOAD | os.RTLD_LAZY)
        except OSError:
            continue
        for name in SETTERS:
            setter = getattr(library, name, None)
            if setter:
                setter(1)
