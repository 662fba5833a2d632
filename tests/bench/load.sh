# tests/bench/load.sh - the machine and its load, beside figures
#
# Read in by benchmarks in bash and by tests/bench/run, from the root of the tree.
. tests/gpus.sh

# Processes that run or want to, mean of the last minute, per core.
load_of_machine() {
    awk -v n="$(nproc)" '{ printf "%.2f per core\n", $1 / n }' /proc/loadavg
}

# A line for people; a warning where others' work is in the figures.
say_load() { # WHEN
    echo "load $1: $(load_of_machine) ($(nproc) cores)"
    if awk -v n="$(nproc)" '{ exit !($1 / n > 0.5) }' /proc/loadavg; then
        echo "warning: load above 0.5 per core: the figures contain other" \
            "processes' work" >&2
    fi
}

# What a folder holds; COMMIT says it of this one where git is not there.
say_commit() { # FOLDER
    local commit=
    [ "$1" != . ] || commit=${COMMIT:-}
    : "${commit:=$(git -C "$1" describe --always --abbrev=10 --dirty=', changed' 2>/dev/null)}"
    echo "commit ${commit:-not known: no git here, and COMMIT is not set}"
}

say_gpus() {
    [ -n "$(visible_gpus)" ] || return 0
    smi --query-gpu=index,name,driver_version --format=csv,noheader |
        sed -E 's/^([^,]*), (.*), (.*)/GPU \1: \2, driver \3/'
}
