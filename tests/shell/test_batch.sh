# Small cases are judged in batches: a faulty case costs no other case, and its
# verdict is that of a case judged outside of a batch.

# The twin has its memory there, and its settings.
export OPSWEEP_WRITABLE=/dev/shm OPSWEEP_PASS_ENV='TWIN_*'

mkdir -p "$TMP/root/moody"
cat >"$TMP/root/moody/gen_input.json" <<'JSON'
{"correctness": [{"case": "((T([{n}], f32),), {})",
                  "for": {"n": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
                    30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40]}}],
 "performance": []}
JSON
cat >"$TMP/root/moody/moody.h" <<'C'
#include <opsweep/op.h>

static inline int twice(const osw_call *call, int64_t n_left_out)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, 1, x->shape, NULL);

    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < x->shape[0] - n_left_out; i++)
        ((float *)y->data)[i] = 2 * ((const float *)x->data)[i];
    return 0;
}
C
cat >"$TMP/root/moody/moody_reference.c" <<'C'
#include "moody.h"

int moody_reference(const osw_call *call)
{
    return twice(call, 0);
}
C
cat >"$TMP/root/moody/moody_right.c" <<'C'
#include "moody.h"

int moody_kernel_impl(const osw_call *call)
{
    return twice(call, 0);
}
C
# Right for most sizes, and wrong in its own way for each of the others.
cat >"$TMP/root/moody/moody_some.c" <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "moody.h"

int moody_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t n = x->shape[0];
    int rc = n == 31 ? OSW_UNSUPPORTED : n == 33 ? 7 : twice(call, n == 5);
    float *y = (float *)x->data;

    if (n == 9)
        y[0] = 1;
    if (n == 13)
        raise(SIGSEGV);
    if (n == 17)
        exit(0);
    if (n == 19)
        for (;;)
            ;
    if (n == 29)
        puts("hello");
    return rc;
}
C
for device in cpu twin; do
    expect_exit 1 "$OPSWEEP" run --suite custom_ops --custom-ops-root "$TMP/root" \
        --device "$device" -n 1 --profile correct --timeout 1 --seed 1 \
        --keep-going -o "$TMP/$device.h5"
    expect_exit 0 "$OPSWEEP" report "$TMP/$device.h5" --fail-on none \
        --format csv -o "$TMP/$device.csv"
    python3 - "$TMP/$device.csv" <<'PY'
import csv, re, sys

want = {5: "unwritten", 9: "mutated", 13: "crash", 17: "exited",
        19: "timeout", 31: "unsupported", 33: "returned"}
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert len(rows) == 80, len(rows)
for r in rows:
    n = int(re.search(r"\[(\d+)\]", r["case"]).group(1))
    expected = want.get(n, "pass") if r["impl"] == "some" else "pass"
    assert r["status"] == expected, (n, r["impl"], r["status"], r["reason"])
    # Expected outputs are the reference's: right answers have no error at all.
    if r["status"] == "pass":
        assert float(r["max_abs_err"]) == 0 and r["n_elem"] == str(n), r
        assert int(r["trials"]) != 0 and r["check"] == "full", r
    phases = sum(float(r[p + "_ns"]) for p in
                 ("build", "fill", "reference", "run", "verify", "time", "wait"))
    wall = float(r["wall_ns"])
    assert abs(phases - wall) <= 0.02 * wall + 1000, (phases, r)
print(len(rows), "cells")
PY
done
