# What a campaign records about GPUs, against what nvidia-smi says of them, and
# what the checks before cells cost.
#
# runs alone: on all GPUs, and it times
# takes 30 s

. tests/gpus.sh

make_op "$TMP/root"
cat >"$TMP/root/scale/scale_plain.cu" <<'CU'
#include <opsweep/op.h>

__global__ static void scale(float *y, const float *x, float a, int64_t n)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * blockDim.x)
        y[i] = a * x[i];
}

extern "C" int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y;

    if (!x || !osw_is(x, OSW_FLOAT, 32) || !osw_is_contiguous(x))
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    scale<<<64, 256, 0, (cudaStream_t)call->stream>>>(
        (float *)osw_data(y), (const float *)osw_data(x),
        (float)osw_arg_float(call, 1, 1.0), osw_numel(x));
    return 0;
}
CU
query=uuid,name,driver_version,compute_cap,memory.total,clocks.max.sm,clocks.max.memory
smi --query-gpu=$query --format=csv,noheader,nounits >"$TMP/smi"
n=$(wc -l <"$TMP/smi")
expect_exit 0 "$OPSWEEP" run --device cuda --suite custom_ops \
    --custom-ops-root "$TMP/root" -n $((n + 1)) --profile correct -o "$TMP/a.h5"
expect_exit 0 "$OPSWEEP" report "$TMP/a.h5"
expect_out '^[0-9]+ workers? on NVIDIA .*, driver [0-9.]+, CUDA [0-9.]+$'
expect_exit 0 "$OPSWEEP" report "$TMP/a.h5" --format json
python3 - "$TMP/out" "$TMP/smi" <<'PY'
import json, sys

rows = json.load(open(sys.argv[1]))["devices"]
smi = {}
for line in open(sys.argv[2]):
    uuid, *rest = [w.strip() for w in line.split(",")]
    smi[uuid] = rest
assert len(rows) == len(smi) == len({r["uuid"] for r in rows}), (rows, smi)
for r in rows:
    name, driver, cap, mib, sm, mem = smi[r["uuid"]]
    assert r["health"] == "ok" and r["kind"] == "cuda", r
    assert (r["name"], r["driver"], r["capability"]) == (name, driver, cap), r
    assert abs(r["memory_bytes"] / 2**20 / float(mib) - 1) < 0.03, (r, mib)
    assert (r["max_clock_mhz"], r["max_memory_clock_mhz"]) == \
        (float(sm), float(mem)), (r, sm, mem)
    assert r["runtime"] and r["driver_cuda"] and r["cores"] > 0, r
    ms = r["check_ns"] * 1e-6
    print("rank %d: %s, checked in %.1f ms (goal <= 100)%s" %
          (r["rank"], r["name"], ms, "; " + r["notes"] if r["notes"] else ""))
    assert ms < 1000, "checks take too long"
PY

# Two workers that both see only the same GPU.
first=$(head -n 1 "$TMP/smi" | cut -d, -f1)
CUDA_VISIBLE_DEVICES=$first expect_exit 2 "$OPSWEEP" run --device cuda \
    --suite custom_ops --custom-ops-root "$TMP/root" -n 3 --profile correct \
    -o "$TMP/b.h5"
expect_err "ranks 1 and 2 on .* both found GPU $first; cure: "
expect_no_file "$TMP/b.h5" "$TMP/b.h5.journal"
CUDA_VISIBLE_DEVICES=$first expect_exit 0 "$OPSWEEP" run --device cuda \
    --suite custom_ops --custom-ops-root "$TMP/root" -n 3 --profile correct \
    --share-gpus -o "$TMP/c.h5"

# A live daemon of MPS, or what looks like one: refused, with the cure.
mkdir "$TMP/mps"
mkfifo "$TMP/mps/control"
exec 8<>"$TMP/mps/control"
CUDA_MPS_PIPE_DIRECTORY=$TMP/mps expect_exit 4 "$OPSWEEP" run --device cuda \
    --suite custom_ops --custom-ops-root "$TMP/root" -n 1 --profile correct \
    -o "$TMP/d.h5"
exec 8>&-
expect_err 'is left out: cuda 0 on .*: a daemon listens in .*; cure: echo quit'
