#!/bin/bash
# tests/bench/gpu/bench_convolution.sh [FOLDER] - `fast` convolutions beside cuDNN's:
# 1 x 1, of which 16-bit elements are loaded eight at a time, and others
#
# takes 60 s
# stopped after 300 s
set -eu
cd "$(dirname "$0")/../../.."
[ -e /dev/nvidiactl ] || { echo "skip: no GPU here"; exit 77; }
opsweep=${OPSWEEP:-./opsweep}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
out=${1:-build/bench-convolution}
mkdir -p "$out"

convolution() { # BATCH CHANNELS SIZE OUT KERNEL STRIDE DTYPE
    local pad=$(($5 / 2))
    echo "cnt: 1, ((T([$1, $2, $3, $3], $7), T([$4, $2, $5, $5], $7), None, [$6, $6], [$pad, $pad], [1, 1], False, [0, 0], 1), {})"
}
{
    echo "Operator: aten.convolution.default"
    for dtype in f16 bf16 f32; do
        convolution 32 256 56 64 1 1 $dtype
        convolution 32 64 56 256 1 1 $dtype
        convolution 32 1024 14 256 1 1 $dtype
        convolution 32 320 7 1280 1 1 $dtype # 49 places: not eight at a time
        convolution 32 64 56 64 3 1 $dtype
        convolution 32 256 14 256 3 1 $dtype
        convolution 32 3 224 64 7 2 $dtype
    done
} >"$out/convolutions.txt"
"$opsweep" run --device cuda -n 1 --profile sweep --force --fail-on none \
    --traces "$out/convolutions.txt" --impls fast,cudnn -o "$out/convolutions.h5"
"$opsweep" report "$out/convolutions.h5" --all --fail-on none
