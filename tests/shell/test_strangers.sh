# tests/shell/test_strangers.sh - whatever a file is, it is an error with its
# name: never a crash, a hang, or half a file
#
# STRANGERS=N: so many forged files (default 4).
#
# takes 10 s

make_op "$TMP/ops"
run() { "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile smoke -n 1 "$@"; }
expect_exit 0 run -o "$TMP/a.h5"
expect_exit 0 run --seed 7 -o "$TMP/b.h5"
mkdir "$TMP/forged" "$TMP/odd" "$TMP/folder"
python_h5 tests/shell/forge_bytes.py "$TMP/a.h5" 1 "${STRANGERS:-4}" "$TMP/forged"

# Every command that opens result files, with "$1" at a place of one; where
# `all` is set, at each.
b=$TMP/b.h5
commands() {
    printf '%s\n' \
        "report $1 --format html -o $TMP/new" \
        "compare $b $1" \
        "history $1 $b -o $TMP/new" \
        "show $1 0 --samples" \
        "export $1 --format csv --samples -o $TMP/new" \
        "merge --force $TMP/new $b $1" \
        "run --resume $1 --seed 1" \
        "submit --dry-run --resume $1"
    [ -z "${all:-}" ] || printf '%s\n' \
        "report $1" \
        "report $1 --format json --anonymize" \
        "report $b $1 --format html -o $TMP/new" \
        "compare $1 $b -o $TMP/new" \
        "history $b --baseline $1" \
        "export $1 --format json" \
        "merge --force $TMP/new $1 $b"
}

# try FILE COMMAND...: an end by its own will; where it refuses, with the name
crashed=0
try() {
    local file=$1 rc=0
    shift
    rm -f "$TMP/new"
    # shellcheck disable=SC2086
    timeout -k 5 60 "$OPSWEEP" $* >"$TMP/out" 2>"$TMP/err" </dev/null || rc=$?
    case $rc in
    0 | 1 | 3 | 4) ;;
    2 | 5)
        expect_err "${file##*/}"
        expect_no_file "$TMP/new"
        ;;
    *) tail -n 5 "$TMP/err"; fail "exit $rc: $*" ;;
    esac
    expect_no_file "$TMP"/*.tmp.*
    if grep -q 'is damaged or forged' "$TMP/err"; then
        crashed=$((crashed + 1))
        expect_equal 2 "$rc" "exit code of a crash"
        tail -n 1 "$TMP/err" | grep -q 'what was printed before is incomplete'
    fi
    code=$rc
}
try_all() {
    local command
    while read -r command; do
        try "$1" "$command"
        [ "$code" -eq "${2:-$code}" ] || fail "exit $code, expected $2: $command"
    done < <(commands "$1")
}

# --- forged: libhdf5 reads them
all=1
for x in "$TMP"/forged/*.h5; do
    try_all "$x"
done
huge=$TMP/forged/huge.h5
try_all "$huge" 2
try "$huge" "repeat $huge 0"
mpirun -n 2 "$OPSWEEP" run --resume "$huge" >"$TMP/out" 2>&1 || rc=$?
expect_out "'$huge'"
echo "$crashed crashes were told as what they are"

# Without the guard this test fails, where libhdf5 is one that crashes.
if (export OPSWEEP_GUARD=off; try "$huge" "report $huge") >/dev/null 2>&1; then
    echo 'this libhdf5 survives texts of a terabyte'
else
    [ "$crashed" -gt 10 ] || fail "only $crashed crashes"
fi

# --- no result files at all
all=
: >"$TMP/odd/empty.h5"
echo 'op,impl' >"$TMP/odd/text.h5"
head -c 5000 "$TMP/a.h5" >"$TMP/odd/head.h5"
head -c -1 "$TMP/a.h5" >"$TMP/odd/cut.h5"
mkfifo "$TMP/odd/pipe.h5"
mkdir "$TMP/odd/folder.h5"
ln -s /dev/zero "$TMP/odd/zero.h5"
ln -s nowhere "$TMP/odd/dangling.h5"
python_h5 - "$TMP/odd" <<'PY'
import socket
import sys

import h5py

socket.socket(socket.AF_UNIX).bind(sys.argv[1] + "/socket.h5")
with h5py.File(sys.argv[1] + "/foreign.h5", "w") as f:
    f["x"] = [1, 2]
with h5py.File(sys.argv[1] + "/future.h5", "w") as f:
    f.attrs["schema"] = "opsweep.results"
    f.attrs["schema_version"] = [9, 0]
PY
if [ "$(id -u)" -ne 0 ]; then
    cp "$TMP/a.h5" "$TMP/odd/closed.h5"
    chmod 0 "$TMP/odd/closed.h5"
fi
for x in "$TMP"/odd/*.h5; do
    # history takes folders, and finds no file in this one
    [ -d "$x" ] && continue
    try_all "$x" 2
done
try_all "$TMP/odd/folder.h5"
expect_exit 2 "$OPSWEEP" report "$TMP/odd/folder.h5"
expect_err 'is a folder, expected a result file'
expect_exit 2 "$OPSWEEP" report "$TMP/odd/future.h5"
expect_err 'has schema version 9.0, this program reads'

# --- other files: each place of one, with what it cannot be
others() {
    printf '%s\n' \
        "run -n 1 $1" \
        "plan $1" \
        "plan --suite traces --traces $1" \
        "history $b $b --known $1" \
        "journal recover $1" \
        "journal verify $1" \
        "check $1" \
        "parse --trace $1" \
        "run --custom-ops-root $TMP/ops -n 1 -o $1/out.h5"
    # a folder that is empty is one, all the same
    [ -d "$1" ] || printf '%s\n' \
        "list --custom-ops-root $1" \
        "plan --custom-ops-root $TMP/ops --kernels-dir $1"
}
rmdir "$TMP/odd/folder.h5"
mkdir "$TMP/odd/folder.h5"
for x in empty text zero dangling socket foreign folder; do
    x=$TMP/odd/$x.h5
    while read -r command; do
        try "$x" "$command"
        case $x:$command in
        *folder.h5:check* | *folder.h5:run*/out.h5) ;; # 3, and it can be made
        *text.h5:parse* | *empty.h5:parse*) ;;         # told by line; nothing
        *) expect_equal 2 "$code" "exit code of $command" ;;
        esac
    done < <(others "$x")
done

# --- what is there stays where it cannot be made anew
echo mine >"$TMP/keep"
expect_exit 2 "$OPSWEEP" compare "$huge" "$b" -o "$TMP/keep"
expect_exit 2 "$OPSWEEP" export --format csv "$huge" -o "$TMP/keep"
expect_equal mine "$(cat "$TMP/keep")"
expect_exit 0 "$OPSWEEP" report "$b" -o /dev/null
[ -c /dev/null ] || fail '/dev/null was replaced'

# --- a signal ends it as it would end one process
{ sleep .5; "$OPSWEEP" report "$b" || echo $? >"$TMP/rc"; } | true
expect_equal 141 "$(cat "$TMP/rc")" 'exit code with no reader'
