#!/bin/bash
# tests/bench/bench_generate.sh - what the loop of `generate` costs beside asking
# and judging, and how long devices wait for a model that answers slowly
#
#   DEVICE=cuda   instead of cpu: kernels in CUDA
#   OPS=20 ATTEMPTS=5 SECONDS_EACH=2 BUSY=8 RANKS=3 SERIAL=20
#
# takes 200 s
# stopped after 600 s
set -eu -o pipefail
cd "$(dirname "$0")/../.."
. tests/shell/lib.sh
. tests/gpus.sh
trap - ERR
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-generate.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
opsweep=${OPSWEEP:-./opsweep}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
device=${DEVICE:-cpu}
ops=${OPS:-20} attempts=${ATTEMPTS:-5} each=${SECONDS_EACH:-2} busy=${BUSY:-8}
ranks=${RANKS:-3}
lang=c suffix=.c
if [ "$device" != cpu ]; then
    lang=cuda suffix=.cu
    gpus=$(n_visible_gpus)
    [ "$gpus" -gt 0 ] || { echo "skip: no GPU here"; exit 77; }
    [ "$ranks" -le $((gpus + 1)) ] || ranks=$((gpus + 1)) # a worker on each
fi
export OPSWEEP_CACHE=$tmp/cache

# kernel OP N: the source of attempt N, right and at some distance from the roofs
cat >"$tmp/kernel.sh" <<'S'
kernel() {
    echo '#include <opsweep/op.h>'
    if [ "$LANG_OF_KERNELS" = cuda ]; then
        cat <<C
static __global__ void scale(const float *in, float *out, float a, int64_t n)
{
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = a * in[i];
}
extern "C" int $1_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (y)
        scale<<<1, 256 + 32 * ($2), 0, (cudaStream_t)call->stream>>>(
            (const float *)osw_data(x), (float *)osw_data(y),
            (float)osw_arg_float(call, 1, 1.0), osw_numel(x));
    return y ? 0 : OSW_ERROR;
}
C
    else
        cat <<C
int $1_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    float a = (float)osw_arg_float(call, 1, 1.0);
    if (!y)
        return OSW_ERROR;
    for (int k = 0; k < 4 + ($2); k++)
        for (int64_t i = 0; i < osw_numel(x); i++)
            ((volatile float *)osw_data(y))[i] = a * ((const float *)osw_data(x))[i];
    return 0;
}
C
    fi
}
S
. "$tmp/kernel.sh"
export LANG_OF_KERNELS=$lang

# Ops "s01", ...: the one of lib.sh, under many names.
make_op "$tmp/one"
for i in $(seq -f s%02g 1 "$ops"); do
    mkdir -p "$tmp/ops/$i"
    sed "s/scale/$i/g" "$tmp/one/scale/scale_reference.c" >"$tmp/ops/$i/${i}_reference.c"
    kernel "$i" 0 >"$tmp/ops/$i/${i}_plain$suffix"
    cat >"$tmp/ops/$i/gen_input.json" <<'J'
{"correctness": ["((T([4, 8], f32), 2.0), {})", "((T([33], f32), -0.5), {})",
                 "((T([129], f32), 3.0), {})", "((T([1000], f32), 3.0), {})"],
 "performance": ["((T([65536], f32), 2.0), {})"]}
J
done

cat >"$tmp/model" <<'S'
#!/bin/bash
. "$(dirname "$0")/kernel.sh"
cat >/dev/null
sleep "$SECONDS_EACH"
echo '```'
kernel "${OPSWEEP_OP%__default}" "$OPSWEEP_ATTEMPT ${BROKEN:-}"
echo '```'
S
chmod +x "$tmp/model"

# seconds WHAT RUN: of "time  1.2 s in all, 0.9 s of campaigns (3 waves), 2.0 s of ..."
seconds() {
    local line
    line=$(grep '^time' "$tmp/$2.out")
    case $1 in
    wall) sed -E 's/^time +([0-9.]+) s in all.*/\1/' <<<"$line" ;;
    judge) sed -E 's/.* ([0-9.]+) s of campaigns.*/\1/' <<<"$line" ;;
    ask) sed -E 's/.* ([0-9.]+) s of requests.*/\1/' <<<"$line" ;;
    waves) sed -E 's/.*\(([0-9]+) waves.*/\1/' <<<"$line" ;;
    esac
}

# generate CODE RUN OPTION...: the summary to $tmp/RUN.out
generate() {
    local want=$1 run=$2 rc=0
    shift 2
    "$opsweep" generate --custom-ops-root "$tmp/ops" --lang "$lang" --device "$device" \
        --generated-dir "$tmp/g" --run-id "$run" --attempts "$attempts" \
        --model-command "$tmp/model" "$@" >"$tmp/$run.out" 2>"$tmp/$run.err" || rc=$?
    [ "$rc" = "$want" ] || { tail -5 "$tmp/$run.err"; exit 1; }
    grep '^time' "$tmp/$run.out"
}

n=${SERIAL:-20}
echo "the loop: $n attempts at one op, each on the one before, which does not compile:"
SECONDS_EACH=0 BROKEN=not_C generate 1 serial -n 1 --profile correct --ops s01 --width 1 \
    --attempts $n
python3 - "$n" "$(seconds wall serial)" "$(seconds judge serial)" \
    "$(seconds ask serial)" <<'P'
import sys

n, wall, judge, ask = map(float, sys.argv[1:])
print("beside asking and judging: %.0f ms an attempt" % ((wall - judge - ask) / n * 1e3))
P

echo "$ops ops x $attempts attempts, answers after $each s, $busy at once, $ranks ranks:"
SECONDS_EACH=$each generate 0 overlap -n "$ranks" --profile smoke --concurrency "$busy"

# judge OPTION...: one campaign, with code compiled anew
judge() {
    OPSWEEP_CACHE=$tmp/cold "$opsweep" run "$@" -n "$ranks" --fail-on none \
        >/dev/null 2>"$tmp/log" || { tail -5 "$tmp/log"; exit 1; }
}
start=$EPOCHREALTIME
judge --custom-ops-root "$tmp/g/run_overlap/.root" --device "$device" --profile smoke \
    -o "$tmp/judge.h5"
middle=$EPOCHREALTIME
judge "$tmp/g/run_overlap/.waves/last.json" -o "$tmp/last.h5"
python3 - "$ops" "$attempts" "$each" "$busy" "$start" "$middle" "$EPOCHREALTIME" \
    "$(seconds wall overlap)" "$(seconds judge overlap)" "$(seconds waves overlap)" <<'P'
import sys

ops, attempts, each, busy, start, middle, end, wall, judge, waves = \
    map(float, sys.argv[1:])
asks, once, last = ops * attempts * each / busy, middle - start, end - middle
least = max(asks + last, once + last)
print("asking alone %.1f s, judging all attempts in one campaign %.1f s, the last "
      "campaign %.1f s" % (asks, once, last))
print("the run %.1f s: %.0f %% more than judging alone, %.0f %% more than the "
      "longer of asking and judging, and the last campaign" %
      (wall, 100 * (wall / (once + last) - 1), 100 * (wall / least - 1)))
print("devices: a campaign ran for %.0f %% of the time, in %d waves" %
      (100 * judge / wall, waves))
P
