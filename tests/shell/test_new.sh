# tests/shell/test_new.sh - a folder that `opsweep new` makes is right before
# anybody has changed it, whatever its schema
#
# takes 50 s

compile_quickly
cd "$TMP"
mkdir bin
ln -s "$OPSWEEP" bin/opsweep
PATH=$TMP/bin:$PATH
languages=c
if OPSWEEP_PYTHON=$(python_with torch); then
    export OPSWEEP_PYTHON
    languages=c,python
else
    echo 'Python is left out: no torch'
fi

# make_new NAME CELLS [OPTION...]: a folder in ops/
declare -A cells_of=()
make_new() {
    expect_exit 0 opsweep new "ops/$1" --lang "$languages" "${@:3}"
    cells_of[$1]=$(($2 * (1 + $(tr -cd , <<<"$languages" | wc -c))))
    # Its test.sh is that of the first, and would judge this op alone.
    sed "s/\<scale\>/$1/g" ops/scale/test.sh >test.sh
    expect_same_file test.sh "ops/$1/test.sh"
    expect_exit 0 opsweep plan --custom-ops-root ops --ops "$1" --device cpu \
        --profile correct --json
    expect_out "\"n_run\": ${cells_of[$1]},"
    expect_equal 1 "$(sed -n 's/^ *"op": //p' "$TMP/out" | sort -u | wc -l)" "ops of --ops $1"
}
# is_said_right CELLS: nothing but that, by the last command
is_said_right() {
    expect_out "(^| )$1 cells.* $2"
    expect_no_grep '^(note|wrong|warning)|not judged' "$TMP/out"
}
export TMPDIR=$TMP

make_new scale 14
make_new lists 15 --schema 'ns::lists.over(Tensor[] from, Tensor? w=None, int[2] k, *,
    Scalar alpha=1, bool b=False, str mode="none") -> Tensor[]'
make_new several 14 --schema 'several(Tensor x, float a, int n) -> (Tensor, Tensor y)'
make_new place_ 14 --schema 'place_(Tensor(a!) self, Tensor other, *, float f=0.5)
    -> Tensor(a!)'
make_new maybe 15 --schema 'maybe(Tensor x, int? k, Tensor? w, float a) -> Tensor'
make_new quiet_ 14 --schema 'quiet_(Tensor(a!) x, Tensor(b!) y, Tensor w, ScalarType t, *, float eps=0.5)
    -> ()'
expect_grep '[)] -> [(][)]"}' ops/quiet_/op.json
make_new given 14 --schema 'given.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)'

# The first as its own script judges it; then all of them at once.
expect_exit 0 ops/scale/test.sh --device cpu --profile correct
expect_out ' 0 things wrong$'
is_said_right "${cells_of[scale]}" "${cells_of[scale]} pass"
[ -s "scale-$(id -u).h5" ] || fail 'test.sh left no file'
expect_exit 0 opsweep check ops/*
expect_out ' 0 things wrong$'
expect_no_grep '^(note|wrong|warning)' "$TMP/out"
expect_equal "$(printf '%s\n' "${!cells_of[@]}" | sort | xargs)" \
    "$(sed -n 's/^ok *\([^ ]*\) *is op .*/\1/p' "$TMP/out" | sort | xargs)" 'folders checked'
expect_exit 0 opsweep run --custom-ops-root ops -n 1 --device cpu --profile correct -o ops.h5
is_said_right '[0-9]+' pass
expect_exit 0 opsweep report ops.h5 --format csv -o ops.csv
for name in "${!cells_of[@]}"; do
    echo "$name ${cells_of[$name]}"
done | python3 -c '
import collections, csv, sys

rows = list(csv.DictReader(open("ops.csv", newline="")))
found = collections.Counter((r["op"].replace("ns.", "").split(".")[0], r["status"]) for r in rows)
want = {(name, "pass"): int(n) for name, n in map(str.split, sys.stdin)}
print(dict(found))
assert found == want, want'
ls ops/scale

# The CUDA file compiles, where there is a compiler.
expect_exit 0 opsweep new gpu/lists --lang cuda \
    --schema 'lists(Tensor[] xs, Tensor? w=None, float f=1, int k=2) -> (Tensor[], Tensor)'
if command -v nvcc >/dev/null; then
    expect_exit 0 nvcc -c -o lists.o -I"$(dirname "$OPSWEEP")/../include" gpu/lists/lists_plain.cu
else
    echo 'CUDA is not compiled: no nvcc'
fi

# Triton's file compiles, and says where it cannot run.
expect_exit 0 opsweep new tri/lists --lang triton \
    --schema 'lists(Tensor[] xs, Tensor? w=None, float f=1, int k=2) -> (Tensor[], Tensor)'
python3 -m py_compile tri/lists/lists_triton.py
if [ -n "${OPSWEEP_PYTHON:-}" ]; then
    expect_exit 3 opsweep run --custom-ops-root tri -n 1 --device cpu --profile correct -f -o tri.h5
    expect_out ' 15 cells, 15 not judged \(15 unsupported\)'
fi
if [ -n "${OPSWEEP_PYTHON:-}" ] && "$OPSWEEP_PYTHON" -c 'import triton' 2>/dev/null; then
    expect_exit 0 opsweep new tri/quiet_ --lang triton --schema 'quiet_(Tensor(a!) x, Tensor w) -> ()'
    TRITON_INTERPRET=1 expect_exit 0 opsweep run --custom-ops-root tri -n 1 --device cpu \
        --profile correct -f -o tri.h5
    expect_out ' 29 cells, 29 pass;'
else
    echo 'Triton is not run: it is not here'
fi

# A copy of an op is right, too: of one's own, of a shipped one with its headers.
expect_exit 0 opsweep new like/twice --like ops/several
expect_exit 0 opsweep new like/positive --like relu --lang c
expect_grep '"schema": ?"positive\(Tensor self\) -> Tensor"' like/positive/op.json
expect_no_grep 'relu_|cudnn|backward|aten' like/positive/op.json
[ -f like/shared/elementwise.h ] || fail 'headers were not copied'
expect_exit 0 opsweep run --custom-ops-root like -n 1 --device cpu --profile correct -f -o like.h5
expect_out ' cells, [0-9]+ pass; 1 worker'
expect_exit 0 opsweep new like/again --like like/positive # the same headers

# Trials and fills that an op has by its name stand in the copy.
told() { # told FOLDER KEY: the value in its op.json
    python3 -c 'import json, sys
print(json.dumps(json.load(open(sys.argv[1] + "/op.json")).get(sys.argv[2])))' "$@"
}
expect_equal '["wide"]' "$(told like/positive trials)" "trials of relu's name"
expect_equal null "$(told like/twice trials)" 'trials of a name that has none'
expect_exit 0 opsweep new named/sum --like ops/several
expect_equal '[]' "$(told named/sum trials)" 'no trials, by a name that has some'
mkdir named/cumsum
cp like/positive/gen_input.json named/cumsum
cp like/positive/positive_plain.c named/cumsum/cumsum_plain.c
expect_exit 0 opsweep new named/bare --like named/cumsum
expect_equal '["wide"]' "$(told named/bare trials)" 'a copy of an op without an op.json'
echo '{"name": "aten.log2", "schema": "log2(Tensor self) -> Tensor"}' >named/cumsum/op.json
expect_exit 0 opsweep new named/other --like named/cumsum
expect_equal '{"self": "positive"}' "$(told named/other fill)" "fills of torch's log2"
ls like like/positive
mkdir other
cp -r like/shared other
echo '/* mine */' >>other/shared/elementwise.h
for options in "other/positive --like relu" "like/x --like rellu" "like/x --like none/x" \
    "like/x --like relu --schema y" "like/positive --like relu"; do
    # shellcheck disable=SC2086
    expect_exit 2 opsweep new $options
    sed 's/^opsweep: //' err
done >said
expect_equal "'other/shared/elementwise.h' is there, and not as 'relu' needs it: expected a folder of its own
option '--like': no op 'rellu' (did you mean 'relu'?)
option '--like': 'none/x': expected an op's folder, or the name of a shipped op
expected one of '--schema' and '--like', found both
'like/positive' is there: expected the name of a new folder" "$(cat said)" 'words of --like'
expect_no_file other/positive other/positive.part* like/x

# What cannot be made is said, and nothing is left.
refused() {
    local why=$1
    shift
    expect_exit 2 opsweep new "$@"
    expect_err "$why"
}
refused "'ops/scale' is there: expected the name of a new folder" ops/scale
refused "'a-b': expected a name of letters, digits and _" x/a-b
refused "'--lang': expected c, cuda, python or triton.*found 'rust'" x --lang c,rust
refused "column 13: expected '->'" x --schema 'f(Tensor x) - Tensor'
refused 'is required' x --schema 'f(Tensor? x) -> Tensor'
refused 'return 0 is a int, expected Tensor' x --schema 'f(Tensor x) -> int'
refused "no value is known for argument 's' of type Storage" x \
    --schema 'f(Tensor x, Storage s) -> Tensor'
refused 'expected a return, or an argument that it writes' x --schema 'f(Tensor x) -> ()'
refused "argument 'xs' is a list of tensors that the op writes: expected an argument for each" x \
    --schema 'f(Tensor(a!)[] xs) -> ()'
refused "option '--schema': expected the name of the folder, 'x', found 'f'" x --schema 'f(Tensor x) -> Tensor'
refused "the folder, 'f_', found 'f'" f_ --schema 'f(Tensor x) -> Tensor'
refused 'too few operands' --lang c
refused "did you mean '--schema'" x --shema y
[ ! -e x ] || fail 'a folder was left'

# A disk that is full leaves no half folder, which the next try would refuse.
rc=0
(trap '' XFSZ && ulimit -f 0 && "$OPSWEEP" new "$TMP/full/op") 2>&1 | cat >"$TMP/said" || rc=$?
expect_equal 5 "$rc" "exit code on a full disk: $(cat "$TMP/said")"
expect_grep "cannot write '.*full/op/" "$TMP/said"
expect_no_file "$TMP/full/op"
