#!/bin/bash
# tests/bench/gpu/variants.sh - check and time the memory-bound kernels of the
# library by themselves, against those of another checkout
#
#   variants.sh [OP...]
#
# BASE=FOLDER names the other checkout: its kernels are the variant `base`.
# KNOBS=FILE lists more variants, `OP NAME WORD...` a line: the same kernels,
# compiled with these words.  TIMES=N makes inputs N times as large, for which
# the last, unfinished turn of the multiprocessors counts less.  One process per
# op, so that one which fails hides no other.
#
# compares with BASE
# takes 90 s
# stopped after 400 s
set -eu
cd "$(dirname "$0")/../../.."
[ -e /dev/nvidiactl ] || { echo "skip: no GPU here"; exit 77; }
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-variants.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
ops=${*:-native_layer_norm _softmax _log_softmax _log_softmax_backward_data \
    native_layer_norm_backward _softmax_backward_data sum__dim_IntList \
    embedding_dense_backward add__Tensor cumsum clone embedding}
compile() { # SOURCE TARGET [WORD...]
    nvcc -O3 -std=c++17 -Xcompiler -fPIC -shared -cudart shared -arch=sm_90 \
        -Iinclude "${@:3}" "$1" -o "$2" >"$2.log" 2>&1 ||
        { echo "$1:"; head -n 5 "$2.log"; }
    touch "$2.done"
}
export -f compile
files() { # OP: what is compiled for it, SOURCE TARGET [WORD...]
    echo "ops/library/$1/$1_fast.cu $tmp/$1__fast.so"
    [ -z "${KNOBS:-}" ] || awk -v op="$1" -v tmp="$tmp" '$1 == op {
        name = $2; $1 = $2 = ""
        printf "ops/library/%s/%s_fast.cu %s/%s__%s.so %s\n", op, op, tmp, op,
            name, $0 }' "$KNOBS"
    [ ! -d "${BASE:-/nowhere}" ] ||
        echo "$BASE/ops/library/$1/$1_fast.cu $tmp/$1__base.so"
    echo "ops/library/$1/$1_reference.cu $tmp/$1__reference.so"
}
for op in $ops; do files "$op"; done |
    xargs -P "$(nproc)" -I{} bash -c 'compile {}' &
nvcc -O1 -std=c++17 -cudart shared -arch=sm_90 -Iinclude \
    tests/bench/gpu/variants.cu -o "$tmp/variants" -ldl
is_ready() { # OP
    files "$1" | while read -r _ target _; do [ -e "$target.done" ] || exit 1; done
}
left=$ops rc=0
while [ -n "$left" ]; do # what is compiled, while others are
    later=
    for op in $left; do
        is_ready "$op" || { later+=" $op"; continue; }
        timeout 30 "$tmp/variants" "$tmp" "$op" ||
            { echo "$op: ended with $?"; rc=1; }
    done
    left=$later
    sleep 0.2
done
wait
echo "$SECONDS s"
exit $rc
