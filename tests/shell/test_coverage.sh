# tests/shell/test_coverage.sh - opsweep list --coverage says what is there to run
# the operators of traces, and what is missing first
#
# takes 10 s

mkdir "$TMP/traces"
cat >"$TMP/traces/one.txt" <<'T'
Operator: aten.relu.default
cnt: 3, ((T([4, 5], f32),), {})
cnt: 1, ((T([7], f16),), {})
Operator: aten.hardshrink.default
cnt: 2, ((T([100], f32), 0.25), {})
cnt: 5, ((T([10], f32),), {})
cnt: 1, ((T([10], c32),), {})
T
cat >"$TMP/traces/two.txt" <<'T'
Operator: aten.relu.default
cnt: 4, ((T([4, 5], f32),), {})
cnt: 2, ((T([4], f32), 1, 2, 3), {})
Operator: mine.no_such.default
cnt: 9, ((T([4], f32),), {})
T
opsweep_python=$(python_with torch) || opsweep_python=

# One op that runs on a processor only, in a root of one's own.
mkdir -p "$TMP/ops/relu"
cat >"$TMP/ops/relu/op.json" <<'J'
{"name": "aten.relu.default", "schema": "relu(Tensor self) -> Tensor"}
J
echo '{"correctness": ["((T([33], f32),), {})"]}' >"$TMP/ops/relu/gen_input.json"
cp ops/library/relu/relu_plain.c "$TMP/ops/relu/"

list() { "$OPSWEEP" list --coverage --traces "$TMP/traces" "$@"; }

# Equal cases count once, with all their calls; a call that does not fit the
# op's schema, and c32, are not native.
export OPSWEEP_PYTHON=${opsweep_python:-python3}
list --suite traces --custom-ops-root "$TMP/ops" --json >"$TMP/c.json"
python3 - "$TMP/c.json" "$opsweep_python" <<'PY'
import json, sys

said = json.load(open(sys.argv[1]))
assert said["format"] == "opsweep coverage 1"
assert bool(said["torch"]) == bool(sys.argv[2]), said["torch"]
kinds = "native_cpu", "native_cuda", "aten_only", "none"

def row(r):
    return [r["name"], r["all"]["cases"], r["all"]["calls"]] + [
        (r[k]["cases"], r[k]["calls"]) for k in kinds]

got = [row(r) for r in said["operators"]]
want = [["aten.hardshrink.default", 3, 8, (0, 0), (0, 0), (2, 7), (1, 1)],
        ["aten.relu.default", 3, 10, (2, 8), (0, 0), (1, 2), (0, 0)],
        ["mine.no_such.default", 1, 9, (0, 0), (0, 0), (0, 0), (1, 9)]]
assert got == want, got
total = said["total"]
assert total["all"] == {"operators": 3, "cases": 7, "calls": 27}, total
assert total["aten_only"] == {"operators": 2, "cases": 3, "calls": 9}, total
PY

# As text: percents with their denominators, the library on both kinds of device.
list >"$TMP/c.txt"
cat "$TMP/c.txt"
expect_grep '^aten.hardshrink.default +3 +8 +0 +0 +2 +1$' "$TMP/c.txt"
expect_grep '^aten.relu.default +3 +10 +2 +2 +1 +0$' "$TMP/c.txt"
expect_grep '^native on a processor +1 of 3 +33.3 % +2 of 7 +28.6 % +8 of 27 +29.6 %$' \
    "$TMP/c.txt"
expect_grep '^not at all +2 of 3 ' "$TMP/c.txt"
expect_grep '^aten: (the operators of torch|all names of aten, as)' "$TMP/c.txt"
list --ops relu >"$TMP/relu.txt"
expect_grep '^native on CUDA +1 of 1 ' "$TMP/relu.txt"

# Patterns may exclude what only the traces have.
list --ops '!aten.hard*' >"$TMP/rest.txt"
expect_grep '^native on CUDA +1 of 2 ' "$TMP/rest.txt"
expect_exit 2 list --ops '!aten.hrd*'
expect_err "no op 'aten.hrd\*'"

# An interpreter without torch.
printf '#!/bin/sh\nexit 1\n' >"$TMP/none"
chmod +x "$TMP/none"
list --python "$TMP/none" >"$TMP/none.txt"
expect_grep 'as the interpreter has no torch' "$TMP/none.txt"
expect_grep '^aten.hardshrink.default +3 +8 +0 +0 +2 +1$' "$TMP/none.txt"

# What is wrong is said.
mkdir "$TMP/empty"
expect_exit 2 "$OPSWEEP" list --coverage --traces "$TMP/empty"
expect_err "'$TMP/empty': expected trace files \(\*.txt\), found none"
expect_exit 2 "$OPSWEEP" list --coverage --traces "$TMP/nowhere"
expect_err "$TMP/nowhere"
expect_exit 2 "$OPSWEEP" list --coverage
expect_err "option '--coverage': expected suite 'traces' \(--traces PATH\), found suite 'smoke'"
expect_exit 2 "$OPSWEEP" list --covrage --traces "$TMP/traces"
expect_err "unknown option '--covrage' \\(did you mean '--coverage'\\?\\)"
