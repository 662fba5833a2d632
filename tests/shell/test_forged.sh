# tests/shell/test_forged.sh - files that say what no run would crash no command
#
# takes 15 s

make_op "$TMP/ops"
run() { "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile smoke -n 2 "$@"; }
expect_exit 0 run -o "$TMP/a.h5"
expect_exit 0 run --seed 7 -o "$TMP/b.h5"
expect_exit 0 "$OPSWEEP" merge "$TMP/m.h5" "$TMP/a.h5" "$TMP/b.h5"

# Refused (2), said to be what its cells say (0, 1, 3, 4): nothing else.
refused=0 taken=0
try() {
    local rc=0
    timeout 60 "$OPSWEEP" "$@" >"$TMP/out" 2>"$TMP/err" || rc=$?
    case $rc in
    2) refused=$((refused + 1)) ;;
    0 | 1 | 3 | 4) taken=$((taken + 1)) ;;
    *) cat "${x%.h5}" "$TMP/err"; fail "exit $rc (seed $seed): $*" ;;
    esac
    expect_no_file "$TMP"/*.tmp.*
}
first=${FORGED_FIRST:-1} last=${FORGED_LAST:-8}
mkdir "$TMP/forged"
python_h5 tests/shell/forge.py "$first" "$last" "$TMP/forged" "$TMP/a.h5" "$TMP/m.h5"
for seed in $(seq "$first" "$last"); do
    for base in a m; do
        x=$TMP/forged/$seed.$base.h5
        for format in table markdown csv json junit backendbench html; do
            try report "$x" --format $format -o "$TMP/$format"
        done
        try report "$x" --anonymize --format json
        try export "$x" --format csv --samples
        try export "$x" --format json --samples
        try merge --force "$TMP/y.h5" "$x" "$TMP/b.h5"
        try merge --force --keep last "$TMP/y.h5" "$TMP/b.h5" "$x"
        try show "$x" 0
        try history "$x" "$TMP/b.h5"
        try history "$TMP/b.h5" --baseline "$x" -f json
    done
done
echo "$refused times refused, $taken times taken"
[ "$refused" -gt 0 ] && [ "$taken" -gt 0 ] || fail 'one of them never happened'
