# tests/shell/test_status.sh - how far a run is, while it goes on and after it
#
# mostly waits: for an op that sleeps
# takes 15 s

. tests/shell/slow_op.sh
export OPSWEEP_CACHE=$TMP/cache
make_slow_op "$TMP/ops" 12 100
options=(--suite custom_ops --custom-ops-root "$TMP/ops" --profile correct)
OPSWEEP=$(realpath "$OPSWEEP")
field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$TMP/out" "$1"; }

# --- a run that goes on, looked at from elsewhere -----------------------------
"$OPSWEEP" run "${options[@]}" -n 2 -o "$TMP/run.h5" >"$TMP/said" 2>&1 &
pid=$!
wait_results "$TMP/run.h5" 3 $pid
touch "$TMP/mark"
before=$(ls "$TMP/run.h5.journal")
expect_exit 0 "$OPSWEEP" status "$TMP/run.h5"
expect_out 'run.h5: running, written by process [0-9]+ on host '
expect_out '^cells    [0-9]+ of 36 \([0-9]+ %\): [0-9]+ (pass|fail)'
expect_out '^time     [0-9]:[0-9][0-9], '
expect_out '^workers  1$'
(cd "$TMP" && expect_exit 0 "$OPSWEEP" status) # the newest journal
expect_out '^run.h5: running'
expect_exit 0 "$OPSWEEP" status "$TMP/run.h5.journal/" --format json
expect_equal running "$(field state)"
expect_equal 36 "$(field n_planned)"
expect_equal "$before" "$(ls "$TMP/run.h5.journal")" 'what is in the journal'
# --watch looks until the run ends
expect_exit 0 "$OPSWEEP" status "$TMP/run.h5" --watch --every 0.2
expect_out 'run.h5: running'
expect_equal 1 "$(grep -c 'run.h5: complete$' "$TMP/out")" 'last look of --watch'
rc=0
wait $pid || rc=$?
expect_equal 1 "$rc" 'exit code of the run that was looked at'

# --- after it --------------------------------------------------------------------
expect_exit 0 "$OPSWEEP" status "$TMP/run.h5"
expect_out '^cells    36 of 36 \(100 %\): 24 pass, 12 fail$'
expect_out '^failed   12 value scale.default/wrong: [0-9]+ of [0-9]+ elements? wrong'
expect_exit 0 "$OPSWEEP" status "$TMP/run.h5" --format json
expect_equal complete "$(field state)"
expect_equal 24 "$(field n_pass)"
expect_exit 1 "$OPSWEEP" report "$TMP/run.h5"
(cd "$TMP" && expect_exit 2 "$OPSWEEP" status)
expect_err 'the current folder holds no journal .*expected opsweep status FILE or JOB'

# --- a run that was cut off, and a shard ------------------------------------------
"$OPSWEEP" run "${options[@]}" --shard 1/2 -n 1 -o "$TMP/cut off.h5" >"$TMP/said" 2>&1 &
pid=$!
wait_results "$TMP/cut off.h5" 1 $pid
kill -KILL $pid
wait $pid || true
expect_exit 4 "$OPSWEEP" status "$TMP/cut off.h5"
expect_out "cut off.h5: cut off; opsweep run --resume '.*/cut off.h5' goes on\$"
expect_out '^shard    1/2$'
expect_exit 4 "$OPSWEEP" status "$TMP/cut off.h5" --watch

# --- a job -------------------------------------------------------------------------
mkdir "$TMP/bin"
cat >"$TMP/bin/scontrol" <<SH
#!/bin/sh
case \$4 in
12) echo "JobId=12 JobState=RUNNING Reason=None RunTime=00:01:00 TimeLimit=01:00:00 NodeList=n1 WorkDir=$TMP Comment=opsweep:run.h5 StdOut=$TMP/o" ;;
13) echo "JobId=13 JobState=PENDING Reason=Priority RunTime=00:00:00 TimeLimit=01:00:00 WorkDir=$TMP Comment=opsweep StdOut=$TMP/o" ;;
14) echo "JobId=14 ArrayJobId=14 ArrayTaskId=2 JobState=FAILED WorkDir=$TMP Comment=opsweep:cut off.h5"
    echo "JobId=15 ArrayJobId=14 ArrayTaskId=1 JobState=COMPLETED WorkDir=$TMP Comment=opsweep:run.h5" ;;
17) for i in \$(seq 1001); do
        echo "JobId=\$((i + 99)) ArrayJobId=17 ArrayTaskId=\$i JobState=PENDING WorkDir=$TMP Comment=opsweep:no.h5"
    done ;;
18) yes "JobId=1 JobState=PENDING WorkDir=$TMP Comment=opsweep:no.h5" | head -n 1002 ;;
19) yes "JobId=1 JobState=PENDING WorkDir=\$(printf 'x%.0s' \$(seq 30000))" | head -n 900 ;;
16) printf 'scontrol: error: fetch_config: DNS SRV lookup failed\n%s\n' \
    'scontrol: fatal: Could not establish a configuration source' >&2; exit 1 ;;
*) echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1 ;;
esac
SH
chmod +x "$TMP/bin/scontrol"
job() { PATH=$TMP/bin:$PATH "$OPSWEEP" status "$@"; }
expect_exit 0 job 12
expect_out '^job 12: RUNNING on n1, 00:01:00 of 01:00:00$'
expect_out '^cells    36 of 36'
expect_exit 0 job 13
expect_out '^job 13: PENDING \(Priority\), 00:00:00 of 01:00:00$'
expect_out "^its comment names no result file: opsweep status FILE; it prints to '.*/o'$"
expect_exit 4 job 14
expect_out '^job 14_2: FAILED'
expect_out '^job 14_1: COMPLETED'
expect_out 'cut off.h5: cut off'
# As many tasks as an array may have; more are no part of one.
expect_exit 0 job 17
expect_equal 1001 "$(grep -c '^job 17_' "$TMP/out")" 'tasks of an array'
for more in 18 19; do
    expect_exit 2 job $more
    expect_err "job $more: expected at most 1001 jobs, found more; ${more}_TASK names one task"
done
expect_exit 0 job 12 --format json
python3 - "$TMP/out" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["format"] == "opsweep.jobs" and len(d["jobs"]) == 1
j = d["jobs"][0]
assert j["state"] == "RUNNING" and j["status"]["n_done"] == 36, j
PY
expect_exit 2 job 99
expect_err 'job 99: slurm_load_jobs error: Invalid job id specified .*`opsweep status FILE`'
expect_exit 5 job 16
expect_err 'job 16: .*DNS SRV lookup failed; .* \(SLURM_CONF names'
mkdir "$TMP/none"
expect_exit 5 env PATH="$TMP/none" "$OPSWEEP" status 12
expect_err "'scontrol'"

# --- bad words -----------------------------------------------------------------------
expect_exit 2 "$OPSWEEP" status "$TMP/none.h5"
expect_err "there is neither '.*/none.h5' nor '.*/none.h5.journal'"
expect_exit 2 "$OPSWEEP" status "$TMP/run.h5" --every 0
expect_err "option '--every': expected 0.1 to 86400 seconds, found 0"
expect_exit 2 "$OPSWEEP" status "$TMP/run.h5" --wach
expect_err "did you mean '--watch'"
echo nonsense >"$TMP/bad.h5"
expect_exit 2 "$OPSWEEP" status "$TMP/bad.h5"
cp -r "$TMP/cut off.h5.journal" "$TMP/bad2.h5.journal"
printf 'x%.0s' $(seq 200) | dd of="$TMP/bad2.h5.journal/000000.jnl" conv=notrunc 2>/dev/null
expect_exit 2 "$OPSWEEP" status "$TMP/bad2.h5"

# --- a file of two sessions ---------------------------------------------------------
expect_exit 1 "$OPSWEEP" run --resume "$TMP/cut off.h5" -n 1
expect_exit 0 "$OPSWEEP" status "$TMP/cut off.h5"
expect_out '^workers  1$' # of two sessions

# --- a node that judges nothing, then one that does ----------------------------------
home=$TMP/home
mkdir "$home"
ln -s "$PWD/ops" "$PWD/include" "$(dirname "$OPSWEEP")/library-objects" "$home/"
printf '#!/bin/sh\nexit 1\n' >"$home/opsweep-sandbox"
chmod +x "$home/opsweep-sandbox"
OPSWEEP_HOME=$home expect_exit 4 "$OPSWEEP" run "${options[@]}" -n 1 -o "$TMP/infra.h5"
expect_out '36 cells, 36 infra \(36 device\); 1 worker'
expect_out "^opsweep run --resume $TMP/infra.h5 judges what has no verdict once more$"
expect_out "^opsweep report $TMP/infra.h5 says why cells have no verdict$"
expect_exit 4 "$OPSWEEP" status "$TMP/infra.h5"
expect_out 'infra.h5: incomplete; opsweep run --resume .*/infra.h5 judges 36 cells again$'
expect_exit 1 "$OPSWEEP" run --resume "$TMP/infra.h5" -n 1
expect_exit 0 "$OPSWEEP" status "$TMP/infra.h5"
