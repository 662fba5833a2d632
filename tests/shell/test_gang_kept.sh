# takes 2 s
#
# A gang goes on with the processes that were right in its last cell.  What a cell left
# there changes no verdict of the next one: where messages were left it gets new
# processes, and where it is not right it is judged once more in new ones.

op=$TMP/ops/first
mkdir -p "$op"
echo '{"schema": "first(Tensor x) -> Tensor", "world": 2}' >"$op/op.json"
echo '{"correctness": [{"case": "((T([{n}], f32),), {})", "for": {"n": [8, 9, 10]}}]}' >"$op/gen_input.json"
cat >"$op/first.h" <<'C'
#include <opsweep/collective.h>
#include <stdio.h>
#include <string.h>

static inline int first_of_ranks(const osw_call *call, int leave, int forget)
{
    static int64_t first, last, n_cells;
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, 1, x->shape, NULL);
    size_t bytes = (size_t)osw_numel(x) * sizeof(float);
    int rc;

    if (!y)
        return OSW_ERROR;
    if (x->shape[0] != last && osw_rank(call) == 0) {
        printf("cell %lld of its process\n", (long long)++n_cells);
        fflush(stdout);
    }
    last = x->shape[0];
    first = first ? first : last;
    if (forget && first != last)
        return memset(osw_data(y), 0, bytes), 0;
    if (osw_rank(call) == 0) {
        memcpy(osw_data(y), osw_data(x), bytes);
        return osw_send(call, 1, osw_data(x), bytes);
    }
    rc = osw_recv(call, 0, osw_data(y), bytes);
    return rc == 0 && leave ? osw_send(call, 0, &last, sizeof(last)) : rc;
}
C
for impl in 'kept 0 0' 'leaves 1 0' 'forgets 0 1'; do
    read -r name words <<<"$impl"
    printf '#include "first.h"\nint first_kernel_impl(const osw_call *call)\n{\n    return first_of_ranks(call, %s);\n}\n' \
        "${words/ /, }" >"$op/first_$name.c"
done
cat >"$op/first_reference.c" <<'C'
#include <opsweep/collective.h>
#include <string.h>

int first_reference(const osw_call *call)
{
    const osw_tensor *x = osw_peer_tensor(call, 0, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, 1, x->shape, NULL);

    if (!y)
        return OSW_ERROR;
    memcpy(osw_data(y), osw_data(x), (size_t)osw_numel(x) * sizeof(float));
    return 0;
}
C

for n in 3 5; do
    expect_exit 0 timeout 60 "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile correct \
        -n $n -f -o "$TMP/run.h5"
    expect_exit 0 "$OPSWEEP" report "$TMP/run.h5" --format csv -o "$TMP/run.csv"
    python3 - "$TMP/run.csv" $n <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert len(rows) == 9 and {r["status"] for r in rows} == {"pass"}, rows


def cells(impl):
    return sorted(r["output"].split("\n")[0] for r in rows if r["impl"] == impl)


def words(impl):
    return sorted(r["reason"].partition(":")[0] for r in rows if r["impl"] == impl)


first = "cell 1 of its process"
print(cells("kept"), words("forgets"))
assert cells("leaves") == cells("forgets") == [first] * 3, (cells("leaves"), cells("forgets"))
if sys.argv[2] == "3":  # one gang, all the time
    assert cells("kept") == ["cell %d of its process" % k for k in (1, 2, 3)], cells("kept")
    assert words("forgets") == ["", *["in processes of earlier cells it was value"] * 2], words("forgets")
PY
done
