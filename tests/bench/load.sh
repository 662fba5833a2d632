# tests/bench/load.sh - the machine's load, beside figures
#
# Read in by benchmarks in bash and by tests/bench/run.

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
