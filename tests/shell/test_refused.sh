# tests/shell/test_refused.sh - each example of docs/REFUSED.md ends in the
# state that its heading names
#
# takes 20 s

page=$PWD/docs/REFUSED.md

# Every state has an entry, and a row in the table.
sed -n 's/^    X( *[0-9]*, [A-Z]*, *"\([a-z]*\)", *[A-Z_]*, *[A-Z]*).*/\1/p' ops/record/state.h >"$TMP/states"
[ "$(wc -l <"$TMP/states")" -ge 28 ] || fail 'states of ops/record/state.h not found'
while read -r state; do
    grep -q "^### \`$state\`$" "$page" || fail "no entry for $state"
    grep -q "^| \[\`$state\`\](#$state) |" "$page" || fail "no row for $state"
done <"$TMP/states"

# As a reader would: in a new folder, opsweep in PATH.
mkdir "$TMP/bin" "$TMP/work"
ln -s "$OPSWEEP" "$TMP/bin/opsweep"
examples() {
    (cd "$TMP/work" && PATH=$TMP/bin:$PATH \
        python3 "$OLDPWD/tests/shell/doc_page.py" "$@")
}
expect_exit 0 examples "$page" --states
cat "$TMP/out"
expect_out '^[0-9]+ blocks ran$'

# An example in another state, other output, and no example at all are noticed.
sed '/^### `precision`/,$d' "$page" >"$TMP/part.md"
sed 's/s\.a + s\.x/s.a * s.x/' "$TMP/part.md" >"$TMP/bad.md"
expect_exit 1 examples "$TMP/bad.md" --states
expect_err 'expected value, found'
sed 's/elements wrong/elements right/' "$TMP/part.md" >"$TMP/bad.md"
expect_exit 1 examples "$TMP/bad.md" --states
expect_err 'not printed: .*elements right'
printf '### `device`\n\nNo example.\n' >"$TMP/bad.md"
expect_exit 1 examples "$TMP/bad.md" --states
expect_err 'no example, and no reason'
