# A generator is run once for a campaign, though both the process that starts the
# ranks and rank 0 plan it; and what it said is in no file afterwards
#
# takes 2 s

PYTHON=$(python_with numpy) || fail "no python3 with numpy"
cat >"$TMP/python" <<SH
#!/bin/sh
echo "\$*" >>"$TMP/asked"
exec "$PYTHON" "\$@"
SH
chmod +x "$TMP/python"
export OPSWEEP_PYTHON=$TMP/python

make_op "$TMP/ops"
rm "$TMP/ops/scale/gen_input.json"
cat >"$TMP/ops/scale/gen_input.py" <<'PY'
import numpy as np


def get_correctness_inputs(device="cpu"):
    return [((np.ones(1 + i, np.float32), 2.0), {}) for i in range(3)]


get_correctness_tests = get_correctness_inputs
PY

# ask WORDS...: sets $asked, how often a Python was started
ask() {
    : >"$TMP/asked"
    "$@"
    asked=$(wc -l <"$TMP/asked")
}

run=("$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile correct --threads 1)
ask "${run[@]}" -n 1 -o "$TMP/one.h5"
expect_equal 1 "$asked" 'Pythons for a campaign in one process, which is the worker, too'

mkdir "$TMP/tmp"
ask env TMPDIR="$TMP/tmp" "${run[@]}" -n 2 -o "$TMP/two.h5"
expect_equal 2 "$asked" 'Pythons for a campaign of two ranks: of who starts them, and the worker'
expect_equal '' "$(ls "$TMP/tmp")" 'files that were left'
