# Ranks that are killed while they use a GPU: the rest goes on, what they had
# started ends with them, and the file is as if nothing had happened.
#
# runs alone: it counts all contexts on its GPUs
# takes 60 s

. tests/shell/losses.sh
. tests/gpus.sh

export XDG_CACHE_HOME=$TMP/cache
op=$TMP/ops/scale
mkdir -p "$op"
cp tests/fixtures/check/scale/{scale.cuh,op.json,scale_reference.c} "$op/"
cat >"$op/gen_input.json" <<JSON
{"correctness": [{"case": "((T([{n}], f32), 2.0), {})",
                  "for": {"n": [$(seq -s, 60)]}}]}
JSON
make_impl() { # NAME STATEMENT...: what it does on its way
    cat >"$op/scale_$1.cu" <<CU
#include "scale.cuh"
#include <stdlib.h>

static __global__ void spin(void)
{
    for (int i = 0; i < 20; i++)
        __nanosleep(1000000);
}
static __global__ void break_it(float *y)
{
    y[1L << 50] = 1;
}

extern "C" int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    cudaStream_t stream = (cudaStream_t)call->stream;

    (void)x, (void)stream;
    $2
    return scale_on(call, stream);
}
CU
}
make_impl slow 'spin<<<1, 1, 0, stream>>>();'
make_impl crash 'if (x->shape[0] % 16 == 0) abort();'
make_impl breaks \
    'if (x->shape[0] % 16 == 0) break_it<<<1, 1, 0, stream>>>(NULL);'
losses=(run --suite custom_ops --custom-ops-root "$TMP/ops" --device cuda
    --share-gpus --profile correct --seed 7 --heartbeat 0.2 --silence 3 --keep-going
    -o "$TMP/run.h5")
expect_exit 1 "$OPSWEEP" "${losses[@]}" -n 1
expect_exit 1 "$OPSWEEP" report --format csv "$TMP/run.h5" -o "$TMP/whole.csv"
python3 - "$TMP/whole.csv" <<'PY'
import collections, csv, sys
n = collections.Counter((r["impl"], r["status"])
                        for r in csv.DictReader(open(sys.argv[1], newline="")))
print(dict(n))
assert n["slow", "pass"] == 60 and n["crash", "crash"] == 3, n
assert n["breaks", "cuda"] == 3, n
PY
run=("$OPSWEEP" "${losses[@]}" -n 4)

# left: processes that still have a context on a GPU, by the driver's account
await_no_context() {
    local i
    for ((i = 0; i < 100; i++)); do
        smi --query-compute-apps=pid --format=csv,noheader \
            >"$TMP/contexts" || fail "nvidia-smi does not answer"
        [ -s "$TMP/contexts" ] || return 0
        sleep 0.05
    done
    fail "contexts that were not ended: $(cat "$TMP/contexts")"
}

start "${run[@]}"
kill -KILL "$(rank_pid 2)"
finishes 'kill -9 of a worker'
await_no_context
expect_grep 'rank 2 is lost' "$TMP/log"

start "${run[@]}"
kill -STOP "$(rank_pid 2)"
finishes 'a worker that is stopped for ever'
await_no_context

start "${run[@]}"
for r in 1 2 3; do kill -KILL "$(rank_pid $r)"; done
acknowledged=$(count_in_journal 6)
is_left_resumable 'kill -9 of all workers' 4
await_no_context

start "${run[@]}"
acknowledged=$(count_in_journal 6)
kill -KILL "$(rank_pid 0)"
is_left_resumable 'kill -9 of the coordinator' 4
await_no_context
