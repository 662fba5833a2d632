# What libraries compile while ops run is kept for the file that ran alone: no other
# file writes it.
#
# takes 14 s

export OPSWEEP_CACHE=$TMP/cache
OPSWEEP_PYTHON=$(python_with numpy) || fail "no python3 with numpy"
export OPSWEEP_PYTHON
"$(dirname "$(readlink -f "$OPSWEEP")")/opsweep-sandbox" --probe >"$TMP/probe"
grep -q "^files$(printf '\t')yes" "$TMP/probe" ||
    skip 'this kernel does not limit which files are written'

# An op whose file keeps what it works with in a cache, and one that looks for such
# files everywhere in the caches and changes them.
mkdir -p "$TMP/site/triton" "$TMP/root/twice"
: >"$TMP/site/triton/__init__.py"
cd "$TMP/root/twice"
echo '{"correctness": ["((T([8], f32),), {})"]}' >gen_input.json
cat >twice_reference.py <<'PY'
import numpy


def twice_reference(x):
    return numpy.multiply(x, 2)
PY
cat >twice_keeps.py <<'PY'
import os
import numpy

path = os.path.join(os.environ["TRITON_CACHE_DIR"], "factor")
said = ["%s %s" % ("found" if os.path.exists(path) else "made", path)]
if not os.path.exists(path):
    with open(path, "w") as f:
        f.write("2")
with open(path) as f:
    factor = float(f.read())


def twice_kernel_impl(x):
    while said:
        print(said.pop())
    return numpy.multiply(x, numpy.float32(factor))
PY
cat >twice_zpoison.py <<'PY'
import os
import numpy

base = os.environ["OPSWEEP_CACHE"]
seen = changed = 0
for folder, _, files in os.walk(base):
    for name in files:
        if name not in ("factor", "kept.so"):
            continue
        seen += 1
        path = os.path.join(folder, name)
        for change in (lambda: os.unlink(path), lambda: open(path, "w"),
                       lambda: open(path, "r+"), lambda: os.truncate(path, 0),
                       lambda: os.rename(path, "stolen"),
                       lambda: os.rename(folder, folder + "2"),
                       lambda: os.mkdir(os.path.join(folder, "new")),
                       lambda: os.mkdir(folder + "x"),
                       lambda: os.symlink("x", os.path.join(folder, "link"))):
            try:
                change()
                changed += 1
            except OSError:
                pass
said = ["saw %d changed %d" % (seen, changed)]
with open(os.path.join(os.environ["TRITON_CACHE_DIR"], "mine"), "w") as f:
    f.write("2")


def twice_kernel_impl(x):
    while said:
        print(said.pop())
    return numpy.multiply(x, 2)
PY
cp twice_keeps.py twice_like.py # the same bytes, but it may load what lies beside it
cd - >/dev/null

outputs='
import csv, sys
for r in csv.DictReader(open(sys.argv[1], newline="")):
    print(r["impl"], r["status"], r["output"].strip())'
judge() { # NAME
    PYTHONPATH=$TMP/site expect_exit 0 run_to_csv "$1" --profile correct \
        --custom-ops-root "$TMP/root"
    python3 -c "$outputs" "$TMP/$1.csv" | sort >"$TMP/$1"
    cat "$TMP/$1"
}
# kept NAME N: after that campaign there are so many files in caches
kept() { expect_equal "$2" "$(find "$TMP/cache" -name factor | wc -l)" "files after $1"; }

judge first
expect_grep '^keeps pass .*/triton/.*/factor$' "$TMP/first"
expect_grep '^zpoison pass saw 2 changed 0$' "$TMP/first"
kept first 2 # keeps and like
judge again
expect_grep '^keeps pass found ' "$TMP/again"
kept again 2
cp "$TMP/root/twice/twice_keeps.py" "$TMP/keeps.py"
echo >>"$TMP/root/twice/twice_keeps.py"
judge edited
kept edited 3
cp "$TMP/keeps.py" "$TMP/root/twice/twice_keeps.py"
judge as_before
kept as_before 3

# In a folder that the user names it is the same.
TRITON_CACHE_DIR=$TMP/cache/own judge own
expect_grep "^keeps pass [a-z]+ $TMP/cache/own/.*/factor$" "$TMP/own"
expect_grep '^zpoison pass saw 5 changed 0$' "$TMP/own"
kept own 5

# All threads have the filter of system calls.
expect_exit 0 "$OPSWEEP" run --device cpu -n 1 --profile correct \
    --custom-ops-root tests/fixtures/isolation_threads -o "$TMP/threads.h5"

# A device is opened by a thread that has no caches.  It and the thread that runs
# code have the files of its driver, also where reading is limited.
cat >"$TMP/threads.py" <<'PY'
import ctypes
import os
import sys
import threading

lib = ctypes.CDLL(sys.argv[1])
files = {"driver": "/dev/nvidia0", "capability": "/dev/nvidia-caps/cap1",
         "other": "/dev/other", "cache": os.environ["TRITON_CACHE_DIR"] + "/kept"}


def is_writable(path):
    try:
        os.close(os.open(path, os.O_RDWR))
        return True
    except PermissionError:
        return False


def limited(caches):
    assert lib.osw_isolate_end(b"cuda", caches) == 0
    print(*(name for name, path in files.items() if is_writable(path)))


lib.osw_isolate_begin(b"cuda")
thread = threading.Thread(target=limited, args=(False,))
thread.start()
thread.join()
limited(True)
PY
if unshare --mount mount -t tmpfs none /dev/shm 2>/dev/null; then
    mkdir "$TMP/kept" "$TMP/scratch"
    touch "$TMP/kept/kept"
    for readable in '' /usr; do
        (cd "$TMP/scratch" && TRITON_CACHE_DIR=$TMP/kept OPSWEEP_READABLE=$readable \
            unshare --mount bash -c 'mount -t tmpfs none /dev &&
                mkdir /dev/nvidia-caps && mknod -m 666 /dev/null c 1 3 &&
                touch /dev/nvidia0 /dev/nvidia-caps/cap1 /dev/other && exec "$@"' - \
            python3 "$TMP/threads.py" \
            "$(dirname "$(readlink -f "$OPSWEEP")")/libopsweep_sandbox.so") | tee "$TMP/said"
        expect_equal 'driver capability
driver capability cache' "$(cat "$TMP/said")" "what threads may write, reading '$readable'"
    done
else
    echo 'no name space for mounts: files of a driver were not tried' >&3
fi

# What torch compiles is kept in the same way.
OPSWEEP_PYTHON=$(python_with torch) || skip 'no python3 with torch: its caches were not tried'
command -v ninja >/dev/null || skip 'no ninja: what torch compiles was not tried'
mkdir -p "$TMP/torch/wave"
cd "$TMP/torch/wave"
echo '{"correctness": ["((T([33], f32),), {})"]}' >gen_input.json
cat >wave_reference.py <<'PY'
import torch


def wave_reference(x):
    return x * 2
PY
cat >kept.cpp <<'C'
extern "C" void kept(const float *x, float *y, long n)
{
    for (long i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
C
cat >wave_honest.py <<'PY'
import ctypes
import os
import torch
from torch.utils import cpp_extension

here = os.path.dirname(os.path.abspath(__file__))
path = os.path.join(os.environ["TORCH_EXTENSIONS_DIR"], "kept", "kept.so")
said = ["found" if os.path.exists(path) else "made"]
os.makedirs(os.path.dirname(path), exist_ok=True)
cpp_extension.load(name="kept", sources=[os.path.join(here, "kept.cpp")],
                   build_directory=os.path.dirname(path),
                   is_python_module=False)
kept = ctypes.CDLL(path).kept
kept.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]


def wave_kernel_impl(x):
    while said:
        print(said.pop())
    y = torch.empty_like(x)
    kept(x.data_ptr(), y.data_ptr(), x.numel())
    return y
PY
sed -e 's/twice_kernel_impl/wave_kernel_impl/; s/import numpy/import torch/
        s/numpy.multiply(x, 2)/x * 2/; s/TRITON_CACHE_DIR/TORCH_EXTENSIONS_DIR/' \
    "$TMP/root/twice/twice_zpoison.py" >wave_poison.py
cd - >/dev/null
for try in torch1 torch2; do
    expect_exit 0 run_to_csv $try --profile correct --custom-ops-root "$TMP/torch"
    python3 -c "$outputs" "$TMP/$try.csv" | tee "$TMP/$try"
done
expect_grep '^honest pass found' "$TMP/torch2"
expect_grep '^poison pass saw [0-9]+ changed 0$' "$TMP/torch2"
