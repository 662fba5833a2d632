# A device that fails during a run is left out: its cells go elsewhere, and its
# results since its last successful check are marked.
#
# mostly waits: for health checks and silence
# takes 100 s

. tests/shell/losses.sh

# The twin has its memory there, and its settings.
export OPSWEEP_WRITABLE=/dev/shm OPSWEEP_PASS_ENV='TWIN_*'
export OPSWEEP_NVML=$TMP/none.so CUDA_MPS_PIPE_DIRECTORY=$TMP/none
export TWIN_DEVICES=2 TWIN_FAULT_FILE=$TMP/fault FAKE_NVML_XID=$TMP/xid
fake=$TMP/libnvidia-ml.so.1
${CC:-cc} -std=c11 -shared -fPIC -o "$fake" tests/fixtures/nvml/fake_nvml.c
prepare_losses twin
run=("$OPSWEEP" "${losses[@]}" -n 3 --prove 0.5)

# is_marked WHY: the file, the report and the last line say so
is_marked() {
    expect_grep 'rank 2 is left out: twin 1, GPU-00000001-.* failed later, [0-9]+ results? (is|are) suspect: '"$1" "$TMP/log"
    expect_grep '; 2 workers, 1 left out, [1-9][0-9]* results? suspect, ' "$TMP/log"
    expect_exit 1 "$OPSWEEP" report "$TMP/run.h5"
    expect_out '^1 worker on Twin'
    tr -s '\n ' '  ' <"$TMP/out" >"$TMP/words"
    expect_grep "left out: rank 2 on [^ ]+, twin 1, .* failed later, [0-9]+ results? (is|are) suspect: $1" "$TMP/words"
    python_h5 - "$TMP/run.h5" <<'PY'
import h5py, sys
f = h5py.File(sys.argv[1])
r, e = f["results"], f["events"]
suspect = {c for c, s in zip(r["cell"][:], r["suspect"][:]) if s}
assert suspect, "no cell is marked"
assert {k for c, k in zip(r["cell"][:], r["rank"][:]) if c in suspect} == {2}
told = {v for k, v in zip(e["kind"].asstr()[:], e["value"][:]) if k == "suspect"}
assert told == suspect, (told, suspect)
# Not all: what it did before its last proof stands.
assert any(k == 2 and not s for k, s in zip(r["rank"][:], r["suspect"][:]))
health = dict(zip(f["devices/rank"][:], f["devices/health"].asstr()[:]))
assert health[1] == "ok" and "failed later" in health[2], health
assert len(f["devices/rank"]) == 2
PY
}

# run_until WORDS...: in the background, until rank 2's device passed its check
run_until() {
    rm -rf "$TMP"/run.h5* "$TMP/fault" "$TMP/xid"
    start "$@"
    sleep 1.5
}

run_until "${run[@]}"
finishes "nothing at all"
expect_no_grep 'suspect' "$TMP/log"
python_h5 - "$TMP/run.h5" <<'PY'
import h5py, sys
f = h5py.File(sys.argv[1])
assert not f["results/suspect"][:].any()
texts = list(f["events/text"].asstr()[:])
assert sum("found sound" in t for t in texts) == 2, texts
PY

# breaks FAULT FILE WHAT: once FAULT is in that file, the device is left out; where
# it has judged nothing since its last proof by then, once more
breaks() {
    for _ in 1 2 3 4 5; do
        run_until "${run[@]}"
        echo "$1" >"$2"
        finishes "$3"
        grep -q 'rank 2 is left out: .*, 0 results are suspect' "$TMP/log" || break
        echo "nothing was judged since the last proof: again"
    done
}

# It computes wrongly.
breaks canary:1 "$TMP/fault" 'a device that computes wrongly'
is_marked 'it computes [0-9a-f]{16} .*; cure: take it out of service'

# The driver reports an error of the GPU's own; one of op code's is none.
export OPSWEEP_NVML=$fake
run_until "${run[@]}"
echo 31 >"$TMP/xid"
finishes "op code's own error"
expect_no_grep 'suspect' "$TMP/log"
breaks 79 "$TMP/xid" 'a GPU that fell off the bus'
is_marked 'the driver reports Xid 79: it fell off the bus; cure: drain'

# A worker that is lost can prove nothing any more: what it judged since its last
# proof is marked, whether it died or fell silent for good.
note_suspects() {
    expect_grep 'rank 2: its worker was lost, [0-9]+ results? (is|are) suspect' "$TMP/log"
    expect_exit 1 "$OPSWEEP" report "$TMP/run.h5"
    tr -s '\n ' '  ' <"$TMP/out" >"$TMP/words"
    expect_grep 'rank 2 on [^ ]+, twin 1, .* its worker was lost, [0-9]+ results? (is|are) suspect' "$TMP/words"
    python_h5 - "$TMP/run.h5" <<'PY'
import h5py, sys
r = h5py.File(sys.argv[1])["results"]
marked = set(zip(r["rank"][:], r["suspect"][:]))
assert marked == {(1, 0), (2, 0), (2, 1)}, marked
PY
}
export OPSWEEP_NVML=$TMP/none.so
# strike SIGNAL WHAT: struck just after a device check, a worker has judged nothing
# since: then once more
strike() {
    for _ in 1 2 3 4 5; do
        run_until "${run[@]}"
        kill "-$1" "$(rank_pid 2)"
        finishes "$2"
        ! grep -q 'its worker was lost' "$TMP/log" || break
        echo "nothing was judged since the last proof: again"
    done
    note_suspects
}
strike KILL "kill -9 of a device's worker"
strike STOP "a device's worker that is stopped for ever"
run_until "${run[@]}"
stopped=$(rank_pid 2)
kill -STOP "$stopped"
await 'rank 2 is lost' "$TMP/log"
kill -CONT "$stopped"
finishes "a device's worker that comes back"
expect_grep 'rank 2: .*this worker said nothing for [0-9.]+ s: it was on a core for 0\.[0-9] s' "$TMP/log"
expect_no_grep 'suspect' "$TMP/log"

# No worker is left: incomplete, and the reason is the last line.
run_until "$OPSWEEP" "${losses[@]}" -n 1 --prove 0.5
echo canary:0 >"$TMP/fault"
acknowledged=1
is_left_resumable 'the only device that fails' 4
expect_grep 'no worker is left; rank 1: twin 0, .* failed later' "$TMP/log"

# What a GPU's driver frees when a process dies is a file here.
rm -f /dev/shm/opsweep-twin-*
