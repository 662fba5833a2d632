# tests/gpu/test_cudnn.sh - convolutions and their gradients by cuDNN round once:
# in 16 bits, too, where it could add partial sums with atomics.  Where it has no way
# to (depthwise in f16) they are unsupported.
#
# takes 80 s

command -v nvcc >/dev/null || skip "no nvcc"
echo '#include <cudnn.h>' >"$TMP/asks.cu"
nvcc -E "$TMP/asks.cu" >/dev/null 2>"$TMP/said" || skip "no cuDNN: $(head -n 1 "$TMP/said")"

# Depthwise: 32 x 112 x 112 places are added up to each weight.
depthwise() { # CHANNELS SIZE KERNEL STRIDE DTYPE
    local to=$((($2 - 1) / $4 + 1)) pad=$(($3 / 2))
    echo "cnt: 1, ((T([32, $1, $to, $to], $5), T([32, $1, $2, $2], $5), T([$1, 1, $3, $3], $5), [0], [$4, $4], [$pad, $pad], [1, 1], False, [0, 0], $1, [True, True, False]), {})"
}
{
    echo "Operator: aten.convolution_backward.default"
    for dtype in f16 bf16 f32; do
        depthwise 32 112 3 1 $dtype
        depthwise 96 112 3 2 $dtype
        depthwise 240 28 5 1 $dtype
        depthwise 672 14 5 2 $dtype
        depthwise 96 56 7 1 $dtype
    done
} >"$TMP/depthwise.txt"
expect_exit 0 "$OPSWEEP" run --device cuda -n 1 --profile correct --seed 1 \
    --traces "$TMP/depthwise.txt" --impls cudnn,plain -o "$TMP/d.h5"
"$OPSWEEP" report "$TMP/d.h5" --all
expect_exit 0 "$OPSWEEP" report "$TMP/d.h5" --format csv -o "$TMP/d.csv"
expect_equal 10 "$(grep -c ',cudnn,.*,pass,' "$TMP/d.csv")" 'gradients by cuDNN'
expect_equal 5 "$(grep -c ',cudnn,.* f16.*,unsupported,' "$TMP/d.csv")" 'depthwise in f16'

expect_exit 0 "$OPSWEEP" run --device cuda -n 1 --profile correct --seed 1 \
    --custom-ops-root ops/library --ops convolution,convolution_backward \
    --impls cudnn -o "$TMP/c.h5"
"$OPSWEEP" report "$TMP/c.h5" --all
