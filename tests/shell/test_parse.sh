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
expect_err "expected exactly one of --case, --schema, --trace; found 0 of them"
expect_exit 2 "$OPSWEEP" parse --case --schema "$TMP/cases"
expect_exit 2 "$OPSWEEP" parse --case "$TMP/none"
expect_err "cannot open '$TMP/none'"
expect_exit 2 "$OPSWEEP" parse --case "$TMP"
expect_err "cannot read"

# A YAML file of operators as it is: its schemas, and what is wrong by line.
cat >"$TMP/ops.yaml" <<'YAML'
# Operators of the user's own.

- func: my_ops::mul3.out(Tensor input, *, Tensor(a!) output) -> Tensor(a!)
  kernels:
    - arg_meta: null
      kernel_name: custom::mul3_out_impl # a comment
- op: add.out
  kernels:
    - kernel_name: torch::executor::add_out
- func: mul3(Tensor input) ->
    Tensor
YAML
expect_exit 0 "$OPSWEEP" parse --schema "$TMP/ops.yaml"
expect_equal 'my_ops::mul3.out(Tensor input, *, Tensor(a!) output) -> Tensor(a!)
add.out
mul3(Tensor input) -> Tensor' "$(cat "$TMP/out")" "schemas of a YAML file"
cat >>"$TMP/ops.yaml" <<'YAML'
- variants: method
- func: mul3.out(Tensor, *, Tensor(a!) output) -> Tensor(a!)
backend: XLA
YAML
expect_exit 2 "$OPSWEEP" parse --schema "$TMP/ops.yaml"
expect_err "^$TMP/ops.yaml:12: column 1: expected an entry with 'func: SCHEMA'"
expect_err "^$TMP/ops.yaml:13: column 24: expected .*, found ','"
expect_err "^$TMP/ops.yaml:14: column 1: expected '- func: SCHEMA' or .*'backend"
expect_err "3 of 6 schemas are invalid"
printf '# a list\nneg(Tensor self) -> Tensor\n# its end\n' >"$TMP/list"
expect_exit 0 "$OPSWEEP" parse --schema "$TMP/list"
expect_out '^neg\(Tensor self\) -> Tensor$'

# All of torch's own, where torch is installed.
native=/usr/lib/python3/dist-packages/torchgen/packaged/ATen/native/native_functions.yaml
if [ -f "$native" ]; then
    expect_exit 0 "$OPSWEEP" parse --schema "$native"
    sed -n 's/^- func: //p' "$native" >"$TMP/want"
    expect_same_file "$TMP/want" "$TMP/out"
fi
