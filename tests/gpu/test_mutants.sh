# The mutants' CUDA twins, and those that only a GPU has: each bad one must be
# caught in the state of its name, and no right one refused.
#
# takes 250 s

expect_exit 1 "$OPSWEEP" run --suite custom_ops \
    --custom-ops-root tests/mutants --device cuda -n 1 --profile smoke \
    --timeout 2 --seed 1 -o "$TMP/mutants.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/mutants.h5" --format csv \
    -o "$TMP/mutants.csv"
tests/mutants/matrix.py "$TMP/mutants.csv"
