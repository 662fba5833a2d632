"""What an empty call costs through mpi4py.futures.

    mpirun -n 3 python3 -m mpi4py.futures tests/bench/bench_futures.py
"""
import time

from mpi4py.futures import MPIPoolExecutor

N = 10000


def nothing(i):
    return i


if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        list(pool.map(nothing, range(100)))  # start everything
        start = time.perf_counter()
        total = sum(1 for _ in pool.map(nothing, range(N), chunksize=1))
        seconds = time.perf_counter() - start
    assert total == N
    print("RATE", N / seconds, flush=True)
