# opsweep compare --confirm: it runs the code that the files record, or none.
# The kernel is slowed down in place by far more than any noise.
#
# takes 25 s

root=$TMP/repo/ops/twice
mkdir -p "$root"
cp tests/fixtures/ops/twice/twice_reference.c tests/fixtures/ops/twice/twice.h \
    tests/fixtures/ops/twice/op.json "$root/"
kernel() { # FILE REPEATS: the work is done so many times over
    cat >"$1" <<C
#include "twice.h"

int twice_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = twice_input(call);
    const osw_tensor *y = twice_output(call);

    if (!y)
        return OSW_ERROR;
    for (volatile int n = 0; n < $2; n++)
        for (int64_t i = 0; i < osw_numel(x); i++)
            osw_set(y, i, 2 * osw_get(x, i));
    return 0;
}
C
}
echo '{"correctness": ["((T([65536], f32),), {})"], "performance": ["((T([65536], f32),), {})"]}' \
    >"$root/gen_input.json"

# On a busy machine calls on new inputs may look longer than others: then a file
# has another timer than the other file, and they cannot be compared.
other_timer=',new_inputs,'
sweep() { # FILE
    while_busy "$too_busy|$other_timer" "$TMP/$1.csv" sweep_once "$1"
}
sweep_once() {
    expect_exit 0 run_to_csv "$1" --custom-ops-root "$TMP/repo/ops" \
        --device cpu --profile smoke --threads 1
}
sha() { sha256sum "$1" | cut -c 1-16; }

kernel "$root/twice_plain.c" 1
was=$(sha "$root/twice_plain.c")
sweep base
cp -r "$TMP/repo/ops" "$TMP/before"
kernel "$root/twice_plain.c" 10
is=$(sha "$root/twice_plain.c")
sweep new
both=("$TMP/base.h5" "$TMP/new.h5")

# A factor of 10 is far beyond the noise of both files, where no other load added
# to it: nothing needs to run.
python_h5 tests/shell/calm_times.py "${both[@]}"
expect_exit 1 "$OPSWEEP" compare "${both[@]}"
expect_out "^ +regressed +1 "
expect_out "^sources: twice.default twice_plain.c ${was:0:12} -> ${is:0:12}$"
expect_exit 0 "$OPSWEEP" compare "$TMP/base.h5" "$TMP/base.h5"
expect_no_grep '^sources' "$TMP/out"

# The base's source was removed: nothing runs, the file is named with what was
# expected and found.
refused() { # EXPECTED FOUND [OPTION...]
    local want=$1 found=$2
    shift 2
    expect_exit 2 "$OPSWEEP" compare "${both[@]}" --confirm 3 "$@"
    expect_err "'twice_plain\.c': expected SHA-256 $want\.\.\. .* found $found\.\.\."
    expect_no_grep 'confirming' "$TMP/err"
}
refused "$was" "$is"
expect_err "base\.h5.*--base-root DIR"
refused "$was" "$is" --base-root "$TMP/repo/ops"

# A header counts as well as what includes it.
cp -r "$TMP/before" "$TMP/other"
echo '/* other */' >>"$TMP/other/twice/twice.h"
expect_exit 2 "$OPSWEEP" compare "${both[@]}" --confirm 3 \
    --base-root "$TMP/other"
expect_err "file 'twice\.h': expected SHA-256"

# Folders as they were: the regression is confirmed.
expect_exit 1 "$OPSWEEP" compare "${both[@]}" --confirm 3 \
    --base-root "$TMP/before"
expect_out "^ +regressed +1 "

# The same from git, even if the folder has changed since.
git() { command git -C "$TMP/repo" -c user.name=t -c user.email=t@t "$@"; }
git init -q
cp "$TMP/before/twice/twice_plain.c" "$root/"
git add -A
git commit -q -m base
sweep base
kernel "$root/twice_plain.c" 10
git commit -q -a -m new
sweep new
expect_exit 1 "$OPSWEEP" compare "${both[@]}" --confirm 3
expect_out "^ +regressed +1 "
expect_err "base.*from git"
kernel "$root/twice_plain.c" 11
expect_exit 1 "$OPSWEEP" compare "${both[@]}" --confirm 3
expect_err "new.*from git"

# Asked to stop, it leaves nothing in /tmp.
"$OPSWEEP" compare "${both[@]}" --confirm 3 >"$TMP/out" 2>"$TMP/err" &
expect_stop $! confirm
expect_err 'stopped$'

# What was never committed is in no repository: refused, also of the new file.
is=$(sha "$root/twice_plain.c")
sweep new
kernel "$root/twice_plain.c" 12
refused "$is" "$(sha "$root/twice_plain.c")"
expect_err "new\.h5.*--new-root DIR"

# A file that does not say what it was made of confirms nothing.
python_h5 - "$TMP/base.h5" "$TMP/bare.h5" <<'PY'
import shutil, sys
import h5py
shutil.copy(*sys.argv[1:])
with h5py.File(sys.argv[2], "r+") as f:
    del f["sources"]
PY
expect_exit 2 "$OPSWEEP" compare "$TMP/bare.h5" "$TMP/new.h5" --confirm 3
expect_err "bare\.h5'.*/sources"

# Cases that Python makes are made again, to find the cells in question.
if OPSWEEP_PYTHON=$(python_with numpy); then
    export OPSWEEP_PYTHON
    rm "$root/gen_input.json"
    cat >"$root/gen_input.py" <<'PY'
import numpy


def get_correctness_tests():
    return [(numpy.ones(65536, dtype=numpy.float32),)]


get_performance_tests = get_correctness_tests
PY
    kernel "$root/twice_plain.c" 1
    sweep base
    rm -r "$TMP/before"
    cp -r "$TMP/repo/ops" "$TMP/before"
    kernel "$root/twice_plain.c" 10
    sweep new
    expect_exit 1 "$OPSWEEP" compare "${both[@]}" --confirm 3 \
        --base-root "$TMP/before"
    expect_out "^ +regressed +1 "
    expect_err "confirming"
fi
