# tests/claim.sh - sourced: what a host has once, for one test at a time

# alive PID: a zombie is not
alive() { grep -qs '^State:.[^ZX]' "/proc/$1/status"; }

# claim FILE DIR [PID]: FILE then names DIR, and the test that uses it.  Waits while the
# test that it names lives; what a killed one left is ended by the `down` of $here.
# Without PID it is held until `down` is called.
claim() {
    local told=''
    until take "$@"; do
        [ -n "$told" ] || echo "waits: '$(cat "$1")' is up" >&2
        told=1
        sleep 0.5
    done
}

# take FILE DIR [PID]: one at a time; fails while another test has it
take() {
    local owner pid lock
    exec {lock}>"${1%/*}/.${1##*/}"
    flock "$lock"
    if { read -r owner pid <"$1"; } 2>/dev/null; then
        if [ -n "$pid" ] && alive "$pid"; then
            exec {lock}>&-
            return 1
        elif [ -z "$pid" ] && is_up "$owner"; then
            echo "it is up already, in $owner" >&2
            exit 1
        fi
        "$here/down" "$owner" {lock}>&-
    fi
    echo "$2 ${3:-}" >"$1"
    exec {lock}>&-
}

# claimed FILE: the DIR that it names
claimed() {
    local dir
    { read -r dir _ <"$1"; } 2>/dev/null && echo "$dir"
}
