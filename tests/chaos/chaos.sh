# tests/chaos/chaos.sh - sourced by the tests that run campaigns with faults

# chaos OPTION...: of chaos.py; shows what happened
chaos() {
    local built=${B:-build}/tests/chaos
    python3 tests/chaos/chaos.py "$OPSWEEP" "$built/ack_spy.so" \
        "$built/bad_disk.so" "$@" | tee /dev/fd/3
}
