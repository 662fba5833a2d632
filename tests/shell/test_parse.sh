# tests/shell/test_parse.sh - opsweep parse: lines in, canonical lines out

# What is canonical already comes out as it went in: traces and schemas.
for file in tests/data/traces/*/*.txt; do
    "$OPSWEEP" parse --trace "$file" >"$TMP/canonical"
    expect_same_file "$file" "$TMP/canonical"
done
for file in tests/data/schemas/*.txt; do
    "$OPSWEEP" parse --schema "$file" >"$TMP/canonical"
    expect_same_file "$file" "$TMP/canonical"
done

# Standard input; bad lines are named, the others printed.
cat >"$TMP/cases" <<'CASES'
((T([2,3],f32,[1,2]),),{"alpha":1e-5})

(T([2], f31),)
( 1, )
CASES
expect_exit 2 "$OPSWEEP" parse --case "$TMP/cases"
expect_equal "((T([2, 3], f32, stride=(1, 2)),), {'alpha': 1e-05})
((1,), {})" "$(cat "$TMP/out")" "canonical lines"
expect_err "^$TMP/cases:3: column 9: expected a dtype of .*, found 'f31'$"
expect_err "1 of 3 lines are invalid"
expect_exit 0 "$OPSWEEP" parse --case <<<"(1,)"
expect_exit 2 "$OPSWEEP" parse --case <<<"1"
expect_err "^standard input:1: column 1: expected '\('"

# What to read as, and what to read.
expect_exit 2 "$OPSWEEP" parse "$TMP/cases"
expect_err "expected exactly one of --case, --schema, --trace"
expect_exit 2 "$OPSWEEP" parse --case --schema "$TMP/cases"
expect_exit 2 "$OPSWEEP" parse --case "$TMP/none"
expect_err "cannot open '$TMP/none'"
expect_exit 2 "$OPSWEEP" parse --case "$TMP"
expect_err "cannot read"
