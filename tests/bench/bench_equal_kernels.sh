#!/bin/bash
# tests/bench/bench_equal_kernels.sh - one kernel under many names: is one of them
# declared better than another?
#
#   N=20   attempts of `generate`, whose sources differ in the name of a variable
#
# Prints how many finalists of the last campaign are told apart, and how many of all
# pairs in one campaign of all have intervals that do not meet.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
. tests/shell/lib.sh
trap - ERR
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-equal.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
opsweep=${OPSWEEP:-./opsweep}
n=${N:-20}
export OPSWEEP_CACHE=$tmp/cache
make_op "$tmp/ops"
cat >"$tmp/ops/scale/gen_input.json" <<'J'
{"correctness": ["((T([4, 8], f32), 2.0), {})", "((T([33], f32), -0.5), {})",
                 "((T([1000], f32), 3.0), {})"],
 "performance": ["((T([65536], f32), 2.0), {})"]}
J
cat >"$tmp/model" <<'S'
#!/bin/bash
cat >/dev/null
cat <<C
\`\`\`c
#include <opsweep/op.h>
int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    float name_$OPSWEEP_ATTEMPT = (float)osw_arg_float(call, 1, 1.0);

    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        ((float *)osw_data(y))[i] = name_$OPSWEEP_ATTEMPT * ((const float *)osw_data(x))[i];
    return 0;
}
\`\`\`
C
S
chmod +x "$tmp/model"
"$opsweep" generate --custom-ops-root "$tmp/ops" --lang c --device cpu -n 2 \
    --profile smoke --search best-of --attempts "$n" --model-command "$tmp/model" \
    --generated-dir "$tmp/g" --run-id equal >"$tmp/out" 2>"$tmp/log" ||
    { tail -5 "$tmp/log"; exit 1; }
sed -n '/^scale__default/,$p' "$tmp/out"
"$opsweep" run --custom-ops-root "$tmp/g/run_equal/.root" --impls 'g*' --device cpu -n 2 \
    --profile smoke --fail-on none -o "$tmp/all.h5" >"$tmp/log" 2>&1 ||
    { tail -5 "$tmp/log"; exit 1; }
"$opsweep" report "$tmp/all.h5" --format csv -o "$tmp/all.csv"
python3 - "$tmp/all.csv" "$tmp/out" <<'P'
import csv, itertools, sys

rows = [r for r in csv.DictReader(open(sys.argv[1], newline=""))
        if r["impl"].startswith("g0") and r["speedup_lo"]]
ends = [(float(r["speedup_lo"]), float(r["speedup_hi"])) for r in rows]
pairs = list(itertools.combinations(ends, 2))
apart = sum(a[0] > b[1] or b[0] > a[1] for a, b in pairs)
last = open(sys.argv[2]).read().split("scale__default")[-1].splitlines()
finalists = [line for line in last if "cells pass" in line]
told = sum("chosen" not in f and "not told apart" not in f for f in finalists)
print("%d of %d finalists are told apart from the chosen one" %
      (told, len(finalists) - 1))
print("%d of %d pairs of %d kernels with an interval have some that do not meet" %
      (apart, len(pairs), len(ends)))
assert len(ends) > 1 and len(finalists) == 3, (len(ends), last)
P
