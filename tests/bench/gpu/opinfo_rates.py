#!/usr/bin/env python3
# tests/bench/gpu/opinfo_rates.py - what bench_opinfo.sh says of its campaigns
#
#     opinfo_rates.py FILE.csv GPUS WORKERS BEGIN END    of one
#     opinfo_rates.py ONE.csv TWO.csv                    of one GPU and of two
import collections
import csv
import sys

TOGETHER_S = 5e-4  # tests that begin within that go through together


class Campaign:
    """Seconds; `later`: tests after their workers' first ones, by key."""

    def __init__(self, name):
        with open(name, newline="") as file:
            self.ran = [r for r in csv.DictReader(file) if r["rank"] != "-1"]
        workers = collections.defaultdict(list)
        for r in self.ran:
            workers[r["rank"]].append((float(r["t_start_ns"]) * 1e-9,
                                       float(r["wall_ns"]) * 1e-9,
                                       r["cell_key"]))
        end = max(t + wall for v in workers.values() for t, wall, _ in v)
        self.n_workers, self.later = len(workers), {}
        waits = whole = 0
        for v in workers.values():
            first = min(v)[0]
            ready = first + sum(wall for t, wall, _ in v
                                if t < first + TOGETHER_S)
            waits += end - max(t + wall for t, wall, _ in v)
            whole += end - ready
            self.later.update((key, wall) for t, wall, key in v if t >= ready)
        self.each = whole / self.n_workers  # a worker's time, once it is ready
        self.idle = waits / whole


def tell(name, gpus, workers, begin, end):
    c = Campaign(name)
    wall = {id(r): float(r["wall_ns"]) * 1e-9 for r in c.ran}
    slow = sorted((r for r in c.ran if wall[id(r)] > 0.1),
                  key=lambda r: -wall[id(r)])
    states = collections.Counter(r["status"] for r in c.ran)
    print("opinfo: %s GPU x %s workers: %d tests of %d operators in %.1f s, "
          "%.0f/s once workers are ready (%d tests in %.1f s); %s" % (
              gpus, workers, len(c.ran), len({r["op"] for r in c.ran}),
              float(end) - float(begin), len(c.later) / c.each,
              len(c.later), c.each,
              ", ".join("%d %s" % (n, s) for s, n in states.most_common())))
    print("  %.1f s of work, of it %.1f s in %d tests of more than 0.1 s; "
          "%.0f %% of the workers' time without a test at the end; longest: "
          "%s" % (sum(wall.values()), sum(wall[id(r)] for r in slow),
                  len(slow), 100 * c.idle,
                  ", ".join("%s %.2f s" % (r["op"][5:], wall[id(r)])
                            for r in slow[:8])))


def tell_gain(*names):
    one, two = map(Campaign, names)
    both = one.later.keys() & two.later.keys()
    s1, s2 = (sum(c.later[k] for k in both) for c in (one, two))
    gain = (two.n_workers * s1 / (1 - one.idle) /
            (one.n_workers * s2 / (1 - two.idle)))
    print("two GPUs: %.2f x as many of %d tests, once workers are ready: %.1f "
          "s of %d workers' time with %.0f %% waiting at the end, then %.1f s "
          "of %d with %.0f %%" % (gain, len(both), s1, one.n_workers,
                                  100 * one.idle, s2, two.n_workers,
                                  100 * two.idle))


(tell if len(sys.argv) == 6 else tell_gain)(*sys.argv[1:])
