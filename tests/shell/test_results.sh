# tests/shell/test_results.sh - a result file: report, show, and other programs

make_op "$TMP/ops"
cat >"$TMP/ops/scale/scale_wrong.c" <<'C'
#include <opsweep/op.h>

int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);

    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        ((float *)osw_data(y))[i] = 7;
    return 0;
}
C
run() {
    "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile smoke -n 2 "$@"
}
file=$TMP/run.h5

# Wrong cells make the report, not the reader of the file, end with 1.
expect_exit 1 run -o "$file"
expect_no_file "$file.journal" "$file".tmp.*
expect_exit 1 "$OPSWEEP" report "$file"
expect_out '^cells +4 planned = 2 pass \+ 2 fail'
expect_out '2 value'
expect_exit 0 "$OPSWEEP" report "$file" --fail-on none
expect_exit 0 "$OPSWEEP" report "$file" --fail-on crash,infra
expect_exit 1 "$OPSWEEP" report "$file" --fail-on value
expect_exit 2 "$OPSWEEP" report "$file" --fail-on wrong
expect_err "option '--fail-on': .*found 'wrong'"
for list in 'not judged' fail,none; do # run and report take the same words
    expect_exit 2 "$OPSWEEP" report "$file" --fail-on "$list"
    sed 's/^opsweep: //' "$TMP/err" >"$TMP/said"
    expect_exit 2 run -o "$TMP/other.h5" --fail-on "$list"
    expect_grep "$(sed 's/[][().*?]/\\&/g' "$TMP/said")" "$TMP/err"
done
expect_exit 0 run -f -o "$TMP/other.h5" --fail-on not-judged,crash
expect_exit 1 run -f -o "$TMP/other.h5" --fail-on value
expect_exit 2 "$OPSWEEP" report "$file" --format xml
expect_err 'expected one of text, markdown, csv, json'

# No escape sequence reaches a file or a pipe.
expect_no_grep $'\033' "$TMP/out"

# CSV and JSON hold every cell.
expect_exit 1 "$OPSWEEP" report "$file" --format csv -o "$TMP/r.csv"
expect_equal 5 "$(wc -l <"$TMP/r.csv")" 'lines of CSV'
expect_exit 1 "$OPSWEEP" report "$file" --format json -o "$TMP/r.json"
expect_grep '"format": "opsweep.report"' "$TMP/r.json"
expect_exit 2 "$OPSWEEP" report "$file" -o "$TMP/none/r.txt"
expect_no_file "$TMP"/*.tmp.*

# What is no result file is told as such.
echo 'op,impl' >"$TMP/foreign.h5"
expect_exit 2 "$OPSWEEP" report "$TMP/foreign.h5"
expect_err "foreign.h5' is no HDF5 file"
head -c 5000 "$file" >"$TMP/cut.h5"
expect_exit 2 "$OPSWEEP" report "$TMP/cut.h5"
expect_err "cut.h5' is truncated"
expect_exit 2 "$OPSWEEP" report "$TMP/missing.h5"
expect_err 'No such file'

# One cell by row, by key and by name.
expect_exit 0 "$OPSWEEP" show "$file" 0 --verbose
key=$(sed -n 's/^cell_key *\(0x[0-9a-f]*\).*/\1/p' "$TMP/out")
expect_exit 0 "$OPSWEEP" show "$file" "$key"
expect_out "^cell +row 0, key $key$"
expect_exit 0 "$OPSWEEP" show "$file" "${key#0x}" -v
expect_out '^row +0$'
op=$(sed -n 's/^op  *//p' "$TMP/out")
expect_exit 0 "$OPSWEEP" show "$file" "$op/wrong/1"
expect_out "^value +$op/wrong$"
expect_out '^why +[0-9]+ of [0-9]+ elements? wrong'
[ "$(wc -l <"$TMP/out")" -le 24 ] || fail 'more than a screen'
expect_exit 0 "$OPSWEEP" show "$file" "$op/wrong/1" --verbose
expect_out '^status +value$'
expect_exit 2 "$OPSWEEP" show "$file" "$op/wrong"
expect_err "has 2 cells '$op/wrong': add /0 to /1"
expect_exit 2 "$OPSWEEP" show "$file" "$op/wrong/2"
expect_err 'there is no number 2'
expect_exit 2 "$OPSWEEP" show "$file" 4
expect_err 'has no row 4, only 4 rows'
expect_exit 2 "$OPSWEEP" show "$file" "$op/none"
expect_exit 2 "$OPSWEEP" show "$file" rubbish
expect_err "cell 'rubbish': expected a row"

# The command it prints runs that cell and no other.
expect_exit 0 "$OPSWEEP" show "$file" "$op/wrong/1"
command=$(sed -n '/^run it again:$/{n;p}' "$TMP/out")
(cd "$TMP" && eval "\"$OPSWEEP\" ${command#opsweep}" >/dev/null 2>&1) || true
expect_exit 0 "$OPSWEEP" show "$file" "$op/wrong/1" -v
want=$(grep -E '^(cell_key|case|fill|status|op|impl) ' "$TMP/out")
expect_exit 0 "$OPSWEEP" show "$TMP/cell.h5" 0 -v
expect_equal "$want" "$(grep -E '^(cell_key|case|fill|status|op|impl) ' "$TMP/out")"
expect_exit 2 "$OPSWEEP" show "$TMP/cell.h5" 1

# A file that exists is not touched without --force.
cp "$file" "$TMP/before.h5"
expect_exit 2 run -o "$file"
expect_err 'exists; use --resume to finish the run, or --force to replace it'
expect_same_file "$file" "$TMP/before.h5"
expect_exit 1 run --force -o "$file"
expect_exit 2 run -o "$TMP/none/run.h5"
expect_err 'none/run.h5'
expect_no_file "$TMP/none"

# Other programs read it.
tests/shell/h5py_three_lines.sh "$file"
