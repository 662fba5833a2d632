# Ops in Python, with numpy: as in test_fixtures.sh the file's name is the
# verdict, and no file costs another's cells.  One python serves them all.
#
# takes 50 s

OPSWEEP_PYTHON=$(python_with numpy) || fail "no python3 with numpy"
export OPSWEEP_PYTHON

run_fixtures tests/fixtures/python 16
python3 - "$TMP/fixtures.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))

def one(impl, op="twice.default"):
    return next(r for r in rows if r["impl"] == impl and r["op"] == op)

# What is not checked is said, where it is not.
assert "guards and unwritten n/a" in one("pass__plain")["reason"]
assert one("pass__c")["reason"] == ""
assert one("pass__nothing", "add_.default")["reason"] == ""
# Words for its author: where it failed, with the traceback.
words = one("returned__raises")
assert "ValueError: no (1000,) here (twice_returned__raises.py:6, in helper)" \
    in words["reason"], words["reason"]
assert "Traceback" in words["output"] and "second line" in words["output"]
assert "'twice_kernel_imp'" in one("load__other_name")["reason"]
assert "twice_load__syntax.py:5" in one("load__syntax")["reason"]
assert len(one("pass__flood_of_output")["output"]) <= 4096
assert len(one("pass__floods_both")["output"]) <= 4096
# Whose memory an output lies in, by the argument's name.
for op, impl, arg in (("copy", "shape__view", "arg0"),
                      ("nested", "shape__inner", "arg3"),
                      ("again", "shape__itself", "x")):
    words = one(impl, op + ".default")["reason"]
    assert "lies in the memory of argument '%s'" % arg in words, words
# Where float64 says more of a reference it decides, and else that is said.
wide, own = [r["reason"] for r in rows
             if (r["op"], r["impl"]) == ("double.default", "pass__below")]
assert "own precision" not in wide, wide
assert "own precision (AssertionError)" in own, own
own = one("pass__numpy_named_last", "narrow.default")["reason"]
assert "own precision (it makes f32 of float64 arguments)" in own, own
assert "kernel runs with BLOCK: 128" in \
    one("pass__chosen", "tuned.default")["reason"]
# Python's clocks are not used for timing.
stopped = [r for r in rows if r["impl"] == "pass__stopped_clocks" and
           r["t_median_ns"]]
assert stopped and all(float(r["t_median_ns"]) > 50 for r in stopped)
timed = [r for r in rows if r["op"] == "add_.default" and r["t_median_ns"]]
assert timed, "the in-place op has no time"
PY
expect_no_file tests/fixtures/python/twice/__pycache__

# Triton's cache lies in the build cache, for this node and these versions.
mkdir -p "$TMP/site/triton" "$TMP/root/where"
: >"$TMP/site/triton/__init__.py"
echo '{"correctness": ["((T([8], f32),), {})"]}' >"$TMP/root/where/gen_input.json"
cat >"$TMP/root/where/where_reference.py" <<'PY'
import numpy


def where_reference(x):
    return numpy.add(x, 1)
PY
cat >"$TMP/root/where/where_asked.py" <<'PY'
import os
import numpy


def where_kernel_impl(x):
    raise NotImplementedError(os.environ["TRITON_CACHE_DIR"])
PY
for own in "" "$TMP/own"; do
    expect_exit 3 env ${own:+"TRITON_CACHE_DIR=$own"} PYTHONPATH="$TMP/site" \
        OPSWEEP_CACHE="$TMP/cache" "$OPSWEEP" run --profile correct -n 1 \
        --custom-ops-root "$TMP/root" -o "$TMP/where${own:+2}.h5"
    expect_exit 3 "$OPSWEEP" report "$TMP/where${own:+2}.h5" --format csv
    expect_out "${own:-$TMP/cache/triton/$(hostname)/python3.*triton}"
done

# An interpreter that is none is refused before anything runs.
expect_exit 2 "$OPSWEEP" run --custom-ops-root tests/fixtures/python \
    --ops hang --impls pass__next -n 1 --profile correct \
    --python "$TMP/nothing" -o "$TMP/none.h5"
expect_err "--python '.*nothing': expected a python3, found no"
expect_no_file "$TMP/none.h5"

# Which packages a file imports, wherever it does.
"$OPSWEEP_PYTHON" - worker/sandbox/python <<'PY'
import sys

sys.path.insert(0, sys.argv[1])
from opsweep_compiled import imported

for source, want in (
        (b"import os, numpy", {"os", "numpy"}),
        (b"import concurrent.futures as c, numpy.linalg as l",
         {"concurrent", "numpy"}),
        (b"def f():\n    try:\n        from torch.nn import Linear\n"
         b"    except ImportError: import numpy", {"torch", "numpy"}),
        (b"if True: import triton", {"triton"}),
        (b'"""\nimport torch\n"""', set()),
        (b"from . import torch", set()),
        (b"import torchvision", {"torchvision"}),
        (b"# coding: latin-1\nx = '\xe9'\nimport numpy", {"numpy"})):
    assert imported(source) == want, (source, imported(source))
PY

# multiprocessing's locks, where their files cannot be made.
"$OPSWEEP_PYTHON" - worker/sandbox/python <<'PY'
import _multiprocessing
import multiprocessing
import sys
import threading

sys.path.insert(0, sys.argv[1])
import opsweep_locks

usual = _multiprocessing.SemLock
opsweep_locks.take_over()
assert _multiprocessing.SemLock is usual, "taken over where there is no need"


def refuse(*args):
    raise PermissionError


_multiprocessing.SemLock = refuse
opsweep_locks.take_over()
assert _multiprocessing.SemLock is opsweep_locks.OwnLock


def elsewhere(call):
    """What it returns in another thread."""
    got = []
    thread = threading.Thread(target=lambda: got.append(call()))
    thread.start()
    thread.join()
    return got[0]


def raises(what, call):
    try:
        call()
    except what:
        return True


lock, own, two = multiprocessing.Lock(), multiprocessing.RLock(), \
    multiprocessing.BoundedSemaphore(2)
with lock:
    assert not lock.acquire(False) and not lock.acquire(timeout=0.01)
    assert not elsewhere(lambda: lock.acquire(False))
assert lock.acquire(False) and elsewhere(lambda: lock.release() is None)
assert raises(ValueError, lock.release)
with own, own:
    assert not elsewhere(lambda: own.acquire(False))
assert elsewhere(lambda: own.acquire(False) and own.release() is None)
assert raises(AssertionError, own.release)
assert two.acquire() and two.acquire() and not two.acquire(False)
assert two.get_value() == 0
two.release(), two.release()
assert raises(ValueError, two.release)
lock.acquire()
threading.Timer(0.05, lock.release).start()
assert lock.acquire(timeout=10), "a waiter is woken"
PY

# A file that is slow to load, beside one whose cell its batch does not settle: the
# worker's time is counted once.
mkdir -p "$TMP/slow/one"
echo '{"correctness": ["((T([4], f32),), {})"]}' >"$TMP/slow/one/gen_input.json"
printf 'import numpy\n\ndef one_reference(x): return x + 1\n' >"$TMP/slow/one/one_reference.py"
printf 'import numpy\n\ndef one_kernel_impl(x): return x + 2\n' >"$TMP/slow/one/one_bad.py"
printf 'import numpy\nimport time\n\ntime.sleep(0.5)\ndef one_kernel_impl(x): return x + 1\n' \
    >"$TMP/slow/one/one_good.py"
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/slow" -n 1 --device cpu \
    --profile correct -o "$TMP/slow.h5"
python_h5 tests/shell/phases.py "$TMP/slow.h5"
