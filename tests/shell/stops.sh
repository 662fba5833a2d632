# tests/shell/stops.sh - sourced by tests that stop a campaign on its way

# make_slow_op FOLDER SECONDS CASES: "scale", a call of which takes so long
make_slow_op() {
    make_op "$1"
    cat >"$1/scale/gen_input.json" <<JSON
{"correctness": [{"case": "((T([{n}], f32), 2.0), {})",
                  "for": {"n": [$(seq -s, "$3")]}}]}
JSON
    sed -i "s/    y = osw_output/    usleep((unsigned)($2 * 1e6));\n&/
            1i #include <unistd.h>" "$1/scale/scale_plain.c"
}

# await REGEX FILE [SECONDS]: until a line of it matches
await() {
    local i
    for ((i = 0; i < ${3:-60} * 20; i++)); do
        if grep -qsE -e "$1" "$2"; then return 0; fi
        sleep 0.05
    done
    tail -n 40 "$2" >&2 || true
    fail "no line of $2 matches within ${3:-60} s: $1"
}

# count_in_journal TYPE: records of that number (docs/RESULTS.md) in run.h5's
count_in_journal() { in_journal "$TMP/run.h5" "$1"; }

# await_results N / await_begun: until so many results, or a cell, are on disk; a
# cell is there before its worker has it, and compiled it
await_results() { await_records 6 "$1"; }
await_begun() { await_records 5 1 && sleep 1; }
await_records() {
    in_journal "$TMP/run.h5" "$@" >"$TMP/records" && return
    ps -o pid,ppid,stat,wchan:20,etimes,times,args -p "$(running | paste -sd ,)" >&2
    tail -n 40 "$TMP/log" >&2 || true
    fail "no $2 records of type $1 in the journal within three minutes"
}

# name_of PID: what it is, or nothing, in $name
name_of() {
    name=
    read -r name 2>/dev/null <"/proc/$1/comm" || true
}

# running: processes of the program, its launchers and its sandboxes that this
# test started, wherever they went
running() {
    local environ pid name
    for environ in $(grep -slzxF "TMP=$TMP" /proc/[0-9]*/environ || true); do
        pid=${environ//[!0-9]/}
        name_of "$pid"
        case $name in opsweep* | mpirun | orted) echo "$pid" ;; esac
    done
}

# family PID: it and all that descend from it, sandboxes too
family() {
    local child
    echo "$1"
    for child in $(cat /proc/"$1"/task/*/children); do
        family "$child"
    done
}

# await_stuck: until a sandbox of $pid sleeps in a call for longer than cases that are
# called together may take; for 20 s where the kernel does not say so to this user
await_stuck() {
    local i p
    local -A looks
    for ((i = 0; i < 100; i++)); do
        for p in $(family "$pid" 2>/dev/null || true); do
            grep -qs nanosleep "/proc/$p/wchan" || continue
            name_of "$p"
            case $name in opsweep-sandbo*) looks[$p]=$((${looks[$p]:-0} + 1)) ;; esac
            if [ "${looks[$p]:-0}" -gt 15 ]; then return 0; fi
        done
        sleep 0.2
    done
}

# await_gone [SECONDS]: until none of them is left
await_gone() {
    local i left
    for ((i = 0; i < ${1:-3} * 20; i++)); do
        left=$(running)
        [ -n "$left" ] || return 0
        sleep 0.05
    done
    # shellcheck disable=SC2086
    ps -o pid,ppid,pgid,stat,args -p $left >&2 || true
    fail "still running after ${1:-3} s"
}

# rank_pid RANK: the process of that rank of this test
rank_pid() {
    local pid name
    for pid in $(running); do
        name_of "$pid"
        if [ "$name" = opsweep ] && grep -zqsxE \
            "(OMPI_COMM_WORLD_RANK|SLURM_PROCID)=$1" "/proc/$pid/environ"; then
            echo "$pid"
            return 0
        fi
    done
    fail "no rank $1"
}

# seconds_since NANOSECONDS: whole ones, of `date +%s%N`
seconds_since() { echo $((($(date +%s%N) - $1) / 1000000000)); }
