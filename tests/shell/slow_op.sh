# tests/shell/slow_op.sh - read in by tests that stop campaigns half-way
#
# make_slow_op FOLDER [CASES [MS]]: the op "scale" with so many cases, an
# implementation that takes MS milliseconds a call, and one that is wrong
# where it cannot be a coincidence.
make_slow_op() {
    local cases=${2:-40} ms=${3:-10}
    make_op "$1"
    cat >"$1/scale/gen_input.json" <<JSON
{"correctness": [{"case": "((T([{n}, 5], f32), 2.0), {})",
                  "for": {"n": [$(seq -s, 1 "$cases")]}}]}
JSON
    sed -e "s|#include <opsweep/op.h>|&\n#include <time.h>|" \
        -e "s|    osw_tensor \*y;|&\n    struct timespec t = {0, ${ms}000000};\n|" \
        -e "s|    y = osw_output|    nanosleep(\&t, NULL);\n&|" \
        "$1/scale/scale_plain.c" >"$1/scale/scale_slow.c"
    sed -e 's|= a \* |= 1 + a * |' "$1/scale/scale_plain.c" \
        >"$1/scale/scale_wrong.c"
}

# coordinator FILE: process number of the one that writes the journal of FILE
coordinator() {
    cut -d ' ' -f 2 "$1.journal/lock" 2>/dev/null
}

# results FILE: results in its journal so far
results() {
    "$OPSWEEP" journal dump "$1" 2>/dev/null | grep -c '"type": *"result"' || true
}

# wait_results FILE N PID: until the journal of FILE holds so many, or PID ends
wait_results() {
    in_journal "$1" 6 "$2" "$3" >"$TMP/records" ||
        fail "$1: fewer than $2 results after three minutes"
}

# cells FILE: what must be the same however often a run was interrupted
cells() {
    "$OPSWEEP" report "$1" --format json --fail-on none >"$TMP/cells.json" || true
    python3 - "$TMP/cells.json" <<'PY'
import json, sys
for c in json.load(open(sys.argv[1]))['cells']:
    print(*(c[k] for k in ('cell', 'cell_key', 'op', 'impl', 'case', 'fill',
                           'status', 'reason', 'n_elem', 'n_bad', 'first_bad',
                           'max_abs_err', 'max_rel_err', 'max_ulp_err')))
PY
}
