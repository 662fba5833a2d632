# tests/shell/test_variants.sh - right implementations as people write them pass, and
# wrong ones do not (tests/variants): a few ops.  VARIANTS=all: all of them, and those
# that are wrong only while they are timed.
#
# takes 15 s

compile_quickly

ops=argmax,clamp_op,cumsum,floor_div,max_dim,nonzero,sort_stable,wide_ints
words=(--ops "$ops" --profile correct)
least=(22 260 22)
if [ "${VARIANTS:-}" = all ]; then
    words=(--profile smoke)
    least=(157 2200 172)
fi
python=$(python_with numpy) || fail 'no python3 with numpy'
expect_exit 0 python3 tests/variants/run.py --opsweep "$OPSWEEP" --python "$python" \
    --seeds 1 --ranks 3 "${words[@]}"
cat "$TMP/out"
expect_no_grep '^other state' "$TMP/out" # than the file's name says

# The corpus must not shrink: its size is checked.
read -r honest pass < <(sed -nE \
    's/^seed 1, honest: 0 of ([0-9]+) implementations refused, .* ([0-9]+) pass$/\1 \2/p' "$TMP/out")
bad=$(sed -nE 's/^seed 1, bad: 0 of ([0-9]+) implementations passed, .*/\1/p' "$TMP/out")
[ "$honest" -ge "${least[0]}" ] || fail "$honest right ones, expected ${least[0]}"
[ "$pass" -ge "${least[1]}" ] || fail "$pass cells of right ones pass, expected ${least[1]}"
[ "$bad" -ge "${least[2]}" ] || fail "$bad wrong ones are caught, expected ${least[2]}"
