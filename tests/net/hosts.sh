# tests/net/hosts.sh - sourced by the tests that need several hosts

# hosts_up HOSTS: until the test ends, whatever way it ends.  From then on
# `on h0 opsweep run -n N` starts rank 0 and a worker on h0 and a worker on each
# of the others: Open MPI is told where by its own variables, as a user would.
hosts_up() {
    local i
    needs_namespaces mpirun
    trap 'exit 143' TERM
    trap 'tests/net/down "$TMP/net"' EXIT
    tests/net/up "$TMP/net" "$1" $$
    echo "h0 slots=2" >"$TMP/hostfile"
    for ((i = 1; i < $1; i++)); do echo "h$i slots=1"; done >>"$TMP/hostfile"
    export OMPI_MCA_orte_default_hostfile=$TMP/hostfile
    export OMPI_MCA_plm=rsh OMPI_MCA_plm_rsh_agent=$PWD/tests/net/on
    export OMPI_MCA_plm_rsh_no_tree_spawn=1
    export OMPI_MCA_oob_tcp_if_include=10.79.0.0/24
    export OMPI_MCA_btl_tcp_if_include=10.79.0.0/24
    export OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,vader,self
}

on() { tests/net/on "$@"; }

# unplug HOST, plug HOST: its network cable.  A kernel takes a moment to see a
# link for good, in which Open MPI's daemons cannot be started.
unplug() { ip link set "osw-wire${1#h}" down; }
plug() { ip link set "osw-wire${1#h}" up && sleep 2; }

# pid_on HOST NAME: the one process of that name there
pid_on() {
    local pid
    for pid in $(ip netns pids "osw-$1"); do
        if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$2" ]; then
            echo "$pid"
            return 0
        fi
    done
    fail "no $2 on $1"
}
