# Tensors that begin elsewhere in their memory: `offset=` in a case, views that
# gen_input.py makes, and `opsweep check`, which moves those of the first case.
#
# takes 10 s

OPSWEEP_PYTHON=$(python_with numpy) || fail "no python3 with numpy"
export OPSWEEP_PYTHON
ROOT=tests/fixtures/offset

expect_exit 1 "$OPSWEEP" run --custom-ops-root $ROOT -n 1 --profile smoke --seed 1 -o "$TMP/o.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/o.h5" --format csv -o "$TMP/o.csv"
python3 - "$TMP/o.csv" <<'PY'
import collections, csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
states = collections.defaultdict(list)
for r in rows:
    states[r["impl"]].append(r["status"])
    print(r["status"], r["impl"], r["case"], r["reason"])
assert states == {
    "pass__right": ["pass"] * 7,
    "crash__by_x": ["pass"],
    "pass__where": ["pass"] * 5,
    "value__base": ["pass", "value", "value", "pass"],
    "crash__aligned": ["pass", "crash", "crash", "crash"],
    "pass__declines": ["pass", "unsupported", "unsupported", "unsupported"],
    "guard__before": ["guard"] * 2,
}, dict(states)
seen = [r["case"] for r in rows if r["impl"] == "pass__where"]
# 9 rows of 10 begin 360 bytes into their memory; a view that goes backwards is copied.
assert seen == ["((T([9], f32, offset=1),), {})", "((T([10], f32, offset=26),), {})",
                "((T([40], f32, stride=(10,), offset=3),), {})",
                "((T([400], f32),), {})", "((T([40], f32),), {})"], seen
PY
expect_exit 0 "$OPSWEEP" show "$TMP/o.h5" "$(grep 'pass__where.*offset=26' "$TMP/o.csv" | cut -d, -f1)"
expect_out 'begins at 104 of 256'

# The case that shrinks keeps an element of it where it matters.
row=$(grep 'value__base.*offset=66' "$TMP/o.csv" | cut -d, -f1)
expect_exit 0 "$OPSWEEP" show "$TMP/o.h5" "$row" --shrink
expect_out "T\(\[1\], f32, offset=1\)"

# A reference that makes the mistake is not agreed with.
mkdir "$TMP/blind" "$TMP/check"
cp -r $ROOT/twice "$TMP/blind"
sed -i 's/osw_data(x)/(x)->data/' "$TMP/blind/twice/twice_reference.c"
for profile in correct smoke; do
    expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/blind" -n 1 --profile $profile \
        --seed 1 -f -o "$TMP/b.h5"
    expect_exit 1 "$OPSWEEP" report "$TMP/b.h5" --format csv -o "$TMP/b.csv"
    expect_equal 4 "$(grep -c '\(value__base\|pass__right\).*offset=[16].*,value,' "$TMP/b.csv")" \
        "wrong cells, profile $profile"
done

cp -r $ROOT/twice "$TMP/check"
echo '{"correctness": ["((T([100], f32),), {})"]}' >"$TMP/check/twice/gen_input.json"
expect_exit 1 "$OPSWEEP" check "$TMP/check/twice"
cat "$TMP/out"
expect_out '^wrong +twice__value__base +value on shifted case \(\(T\(\[100\], f32, offset=1\),\), \{\}\): reads what it did not write, or beside its inputs'
expect_out '^wrong +twice__crash__aligned +crash on shifted case'
expect_out '^ok +variants +empty, single, odd \(31\), shifted: of the first case, 16 cells$'
expect_out '2 things wrong'
expect_exit 1 "$OPSWEEP" check $ROOT/plus
expect_out '^wrong +plus__crash__by_x +crash on partly shifted case \(\(T\(\[100\], f32\), T\(\[100\], f32, offset=1\)\), \{\}\)'
expect_out '1 thing wrong'
rm "$TMP"/check/twice/*_{value,crash}__*
expect_exit 0 "$OPSWEEP" check "$TMP/check/twice"

# --offset: all cases, but what they say themselves, and values that code makes.
expect_exit 1 "$OPSWEEP" run --custom-ops-root $ROOT -n 1 --profile correct --offset 1 \
    --impls pass__right,pass__where,value__base -o "$TMP/all.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/all.h5" --format csv -o "$TMP/all.csv"
python3 - "$TMP/all.csv" <<'PY'
import csv, sys

states = {(r["impl"], r["case"]): r["status"]
          for r in csv.DictReader(open(sys.argv[1], newline=""))}
for key, state in states.items():
    print(state, *key)
moved = "((T([1000], f32, offset=1),), {})"  # two cases have become one
own = "((T([10], f32, stride=(3,), offset=66),), {})"
made = "((T([400], f32),), {})"
assert len(states) == 14, len(states)
assert states["pass__right", moved] == states["pass__right", own] == "pass"
assert states["value__base", moved] == states["value__base", own] == "value"
assert states["pass__where", made] == "pass"
PY
