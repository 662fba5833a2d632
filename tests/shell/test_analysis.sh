# tests/shell/test_analysis.sh - the examples of the docs run as they stand

python=$(for p in python3 /usr/bin/python3; do
    ! "$p" -c 'import h5py, pandas, pyarrow' 2>/dev/null || command -v "$p"
done | head -n 1)
[ -n "$python" ] || python=$(python_with h5py) || skip 'no python3 with h5py'

make_op "$TMP/ops"
cat >"$TMP/ops/scale/gen_input.json" <<'JSON'
{"correctness": ["((T([4, 8], f32), 2.0), {})"],
 "performance": ["((T([4096], f32), -0.5), {})"]}
JSON
sed 's/a \* ((const float/1 + a * ((const float/' \
    "$TMP/ops/scale/scale_plain.c" >"$TMP/ops/scale/scale_wrong.c"
run() { "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile smoke -n 2 "$@"; }
expect_exit 1 run --baseline plain -o "$TMP/run.h5"
expect_exit 1 run --baseline plain -o "$TMP/new.h5"
expect_exit 0 run --ops scale --impls plain --case '((T([16], f32), 3.0), {})' \
    -o "$TMP/other.h5"

# As a reader would: in the folder of the files, opsweep in PATH.
mkdir "$TMP/bin"
ln -s "$OPSWEEP" "$TMP/bin/opsweep"
examples() {
    (cd "$TMP" && PATH=$TMP/bin:$PATH OPSWEEP_PYTHON=$python "$python" \
        "$OLDPWD/tests/shell/doc_examples.py" "$@")
}
expect_exit 0 examples "$PWD/docs/READ_RESULTS.md"
cat "$TMP/out"
expect_out '^[1-9][0-9]* examples ran$'
left=$(grep 'left out' "$TMP/out" || true)

# An example that fails is a failure: the runner tells.
printf '```python\nassert 1 == 2\n```\n' >"$TMP/bad.md"
expect_exit 1 examples "$TMP/bad.md"
expect_err 'bad\.md", line 2'
printf '```sh\nopsweep export run.h5 --nothing\n```\n' >"$TMP/bad.md"
expect_exit 1 examples "$TMP/bad.md"
printf 'no example\n' >"$TMP/bad.md"
expect_exit 1 examples "$TMP/bad.md"
[ -z "$left" ] || echo "docs/READ_RESULTS.md: $left"
