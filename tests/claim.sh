# tests/claim.sh - sourced: what a host has once, for one test at a time

# alive PID: a zombie is not
alive() { grep -qs '^State:.[^ZX]' "/proc/$1/status"; }

# claim FILE DIR [PID]: FILE then names DIR, and the test that uses it.  Waits while the
# test that it names lives; what a killed one left is ended by the `down` of $here.
# Without PID it is held until `down` is called.
claim() {
    local owner pid told='' mine=$1.$$
    echo "$2 ${3:-}" >"$mine"
    until ln "$mine" "$1" 2>/dev/null; do
        read -r owner pid <"$1" || continue # it is gone again
        if [ -n "$pid" ] && alive "$pid"; then
            [ -n "$told" ] || echo "waits for process $pid, which has $owner" >&2
            told=1
            sleep 0.5
        elif [ -z "$pid" ] && is_up "$owner"; then
            rm -f "$mine"
            echo "it is up already, in $owner" >&2
            exit 1
        else
            "$here/down" "$owner"
            rm -f "$1"
        fi
    done
    rm -f "$mine"
}

# claimed FILE: the DIR that it names
claimed() {
    local dir
    read -r dir _ <"$1" 2>/dev/null && echo "$dir"
}
