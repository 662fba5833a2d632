# tests/shell/lib.sh - what shell tests are written with
#
# Read in by tests/shell/run with `set -eu -o pipefail` in force: a test ends
# at its first failing command.  $TMP is the test's own folder, $OPSWEEP the
# program.

set -E
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND" >&2' ERR

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

skip() {
    echo "$*"
    exit 77
}

# needs_namespaces COMMAND...: skips where hosts cannot be made of namespaces, or
# a command is missing
needs_namespaces() {
    local command
    [ "$(id -u)" -eq 0 ] || skip 'not root'
    for command in "$@" ip nsenter unshare; do
        command -v "$command" >/dev/null || skip "no $command"
    done
    unshare --net --uts --mount true 2>/dev/null ||
        skip 'this kernel or container gives no namespaces'
}

# Before a command: as a user who owns nothing.  Root alone can become one.
as_anybody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# let_others_in: another user can enter the tree and $TMP.  Where the tree lies in a
# closed folder (root's home), the test goes on in a place of it that only it sees:
# elsewhere what removes $TMP would find the tree in it.
let_others_in() {
    local tree=$PWD mounts
    chmod 711 "$(dirname "$TMP")" "$TMP"
    "${as_anybody[@]}" [ -x "$OPSWEEP" ] && return
    mounts=$(readlink /proc/self/ns/mnt)
    [ "${RUNNERS_MOUNTS:-$mounts}" != "$mounts" ] ||
        skip 'no other user can enter the folder of this tree'
    mkdir "$TMP/tree"
    mount --bind "$tree" "$TMP/tree"
    cd "$TMP/tree"
    OPSWEEP=$PWD/${OPSWEEP#"$tree/"} B=$PWD/${B#"$tree/"}
}

# go_first: where that may be, before what else runs on this machine.  For what is
# timed by a clock that knows nothing of others: the twin's is one, as a GPU's.
go_first() { renice -n -15 -p $$ >/dev/null 2>&1 || true; }

# compile_quickly: where no verdict depends on how fast an op is
compile_quickly() { export OPSWEEP_CFLAGS='-std=gnu11 -O1 -march=native -fopenmp'; }
quickly() (compile_quickly && "$@") # this command

# in_journal FILE TYPE [LEAST [PID]]: records of that number (docs/RESULTS.md) in the
# journal of FILE, once there are so many; see count_in_journal.py
count_in_journal=$PWD/tests/shell/count_in_journal.py
in_journal() { python3 "$count_in_journal" "$1.journal" "${@:2}"; }

# expect_exit CODE COMMAND...: stdout to $TMP/out, stderr to $TMP/err
expect_exit() {
    local want=$1 rc=0
    shift
    "$@" >"$TMP/out" 2>"$TMP/err" || rc=$?
    [ "$rc" -eq "$want" ] && return 0
    echo "--- stdout"
    tail -n 40 "$TMP/out"
    echo "--- stderr"
    tail -n 40 "$TMP/err"
    what_failed "$@"
    fail "exit $rc, expected $want: $*"
}

# what_failed COMMAND...: the cells of its result file (-o FILE) that did not pass
what_failed() {
    while [ $# -gt 1 ]; do
        case $1:$2 in
        -o:*.h5)
            [ ! -f "$2" ] || "$OPSWEEP" report "$2" --fail-on none 2>&1 | head -n 40
            ;;
        esac
        shift
    done
}

# expect_grep REGEX FILE / expect_no_grep REGEX FILE (extended regex)
expect_grep() {
    grep -qE -e "$1" "$2" && return 0
    tail -n 40 "$2"
    fail "no line of $2 matches: $1"
}

expect_no_grep() {
    local found rc=0
    [ $# -eq 2 ] || fail "expect_no_grep: expected 2 words, found $#: $*"
    found=$(grep -naE -e "$1" "$2") || rc=$?
    [ "$rc" -ne 1 ] || return 0
    head -n 10 <<<"$found"
    [ "$rc" -eq 0 ] || fail "grep could not look for '$1' in $2"
    fail "a line of $2 matches: $1"
}

# expect_out REGEX, expect_err REGEX: of the last expect_exit
expect_out() { expect_grep "$1" "$TMP/out"; }
expect_err() { expect_grep "$1" "$TMP/err"; }

# expect_equal WANT GOT [WHAT]
expect_equal() {
    [ "$1" = "$2" ] || fail "${3:-value}: expected '$1', found '$2'"
}

# expect_same_file A B
expect_same_file() {
    cmp -s "$1" "$2" && return 0
    diff "$1" "$2" | head -n 20 || true
    fail "$1 and $2 differ"
}

# expect_wrong CSV: a cell of it has a wrong result, and none could not be judged
expect_wrong() {
    expect_grep '^[0-9].*,(value|nan|precision|unwritten|guard),' "$1"
    expect_no_grep '^[0-9].*,(reference|load|build),' "$1"
}

# expect_no_file PATH...: nothing half-written was left
expect_no_file() {
    local path
    for path in "$@"; do
        [ ! -e "$path" ] || fail "$path was not removed"
    done
}

# python_with MODULE: path of a Python that has it, the user's or the system's;
# fails where there is none.  It is looked for, not imported: torch takes 2 s.
python_with() {
    local python
    for python in "${users_python:-python3}" /usr/bin/python3; do
        if "$python" -c "import importlib.util, sys
sys.exit(importlib.util.find_spec('$1') is None)" 2>/dev/null; then
            command -v "$python"
            return
        fi
    done
    return 1
}

# A Python that has h5py; looked for once.
python_h5() {
    with_h5py=${with_h5py:-$(python_with h5py)} || fail "no python3 with h5py"
    "$with_h5py" "$@"
}

# run_to_csv NAME WORDS...: a campaign of one process, its cells in $TMP/NAME.csv;
# status: that of the campaign
run_to_csv() {
    local rc=0
    "$OPSWEEP" run -n 1 --seed 1 --force -o "$TMP/$1.h5" "${@:2}" || rc=$?
    "$OPSWEEP" report "$TMP/$1.h5" --fail-on none --format csv -o "$TMP/$1.csv" ||
        [ $? = 3 ] # nothing was judged
    return $rc
}

# while_busy ERE FILE COMMAND...: COMMAND, which writes FILE, and again while a line
# of it matches, five times in all; says which line it was.  Status: that of the
# last time.  Skips the test where verdicts are missing to the end, as $too_busy
# says.
too_busy='machine too busy'
while_busy() {
    local try rc line
    for try in 1 2 3 4 5; do
        rc=0
        "${@:3}" || rc=$?
        line=$(grep -aEm 1 -e "$1" "$2") || return $rc
        echo "try $try of 5: $line"
    done
    case $line in *"$too_busy"*) skip "in five tries: $line" ;; esac
    return $rc
}

# run_fixtures FOLDER LEAST: files whose names are their verdicts, LEAST states in
# all; the cells go to $TMP/fixtures.csv
run_fixtures() {
    while_busy "$too_busy" "$TMP/fixtures.csv" judge_fixtures "$1"
    python3 tests/shell/fixtures.py "$TMP/fixtures.csv" "$2"
}
judge_fixtures() {
    expect_exit 1 run_to_csv fixtures --suite custom_ops --custom-ops-root "$1" \
        --profile smoke --timeout 1
}

# make_op FOLDER: a small correct op "scale" in a root of one's own
make_op() {
    mkdir -p "$1/scale"
    cat >"$1/scale/gen_input.json" <<'JSON'
{"correctness": ["((T([4, 8], f32), 2.0), {})", "((T([33], f32), -0.5), {})"]}
JSON
    cat >"$1/scale/scale_reference.c" <<'C'
#include <opsweep/elements.h>

int scale_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    double *exact = y ? osw_output_exact(call, 0) : NULL;

    if (!exact)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        exact[i] = osw_arg_float(call, 1, 1.0) * osw_get(x, i);
    return 0;
}
C
    cat >"$1/scale/scale_plain.c" <<'C'
#include <opsweep/op.h>

int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    float a = (float)osw_arg_float(call, 1, 1.0);
    osw_tensor *y;

    if (!x || !osw_is(x, OSW_FLOAT, 32) || !osw_is_contiguous(x))
        return OSW_UNSUPPORTED;
    y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        ((float *)osw_data(y))[i] = a * ((const float *)osw_data(x))[i];
    return 0;
}
C
}

# expect_stop PID NAME: TERM ends it by exit code 4, and its folder
# /tmp/opsweep-NAME.* is gone, which the run that its guarded process started names
expect_stop() {
    local folder='' rc=0
    while [ -z "$folder" ]; do
        kill -0 "$1" 2>/dev/null || fail "it ended: $(cat "$TMP/err")"
        folder=$(ps -o args= --ppid "$(ps -o pid= --ppid "$1" | xargs)" 2>/dev/null |
            sed -n "s|.* \\(/tmp/opsweep-$2\\.[^/ ]*\\)/.*|\\1|p") || folder=
        [ -n "$folder" ] || sleep 0.05
    done
    [ -d "$folder" ] || fail "no folder '$folder'"
    kill -TERM "$1"
    wait "$1" || rc=$?
    expect_equal 4 "$rc" 'exit code'
    expect_no_file "$folder"
}
