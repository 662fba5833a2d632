# tests/shell/test_cancel.sh - opsweep cancel of an array, without a cluster

mkdir "$TMP/bin"
cat >"$TMP/bin/squeue" <<SH
#!/bin/sh
# squeue --noheader --format=... --jobs=ID|--me
case \$3 in
--jobs=7 | --me) cat "$TMP/jobs" ;;
--jobs=*) grep "^\${3#--jobs=}|" "$TMP/jobs" || { echo 'slurm_load_jobs error: Invalid job id specified'; exit 1; } ;;
esac
SH
cat >"$TMP/bin/scancel" <<SH
#!/bin/sh
echo "\$2 \$3" | sed 's/--signal=//' >>"$TMP/signals"
case \$3 in *_2) echo "scancel: error: Kill job error on job id 7_2: Access/permission denied"; exit 1 ;; esac
SH
chmod +x "$TMP/bin/squeue" "$TMP/bin/scancel"
cancel() { PATH=$TMP/bin:$PATH "$OPSWEEP" cancel "$@"; }

# --- one signal to all before the next, whatever becomes of one of them ---------------
cat >"$TMP/jobs" <<JOBS
7_1|RUNNING|1:00:00|opsweep:$TMP/run.shard-%a.h5
7_2|RUNNING|1:00:00|opsweep:$TMP/run.shard-%a.h5
7_3|COMPLETING|1:00:00|opsweep:$TMP/run.shard-%a.h5
7_4|RUNNING|1:00:00|opsweep:$TMP/run.shard-%a.h5
JOBS
expect_exit 2 cancel --now 7
expect_err 'Access/permission denied'
expect_out '^job 7_1: asked to stop at once'
expect_out '^job 7_4: asked to stop at once'
expect_equal 'URG 7_1 URG 7_2 URG 7_4 URG 7_2 TERM 7_1 TERM 7_4' "$(paste -sd ' ' "$TMP/signals")" 'signals'

# --- a job that Slurm cleans up after has ended ----------------------------------------
rm "$TMP/signals"
echo "7|COMPLETING|1:00:00|opsweep:$TMP/run.h5" >"$TMP/jobs"
expect_exit 3 cancel 7
expect_err 'job 7 has ended, there is nothing to stop'
touch "$TMP/run.h5"
expect_exit 3 cancel "$TMP/run.h5"
expect_no_file "$TMP/signals"

# --- neither a job nor a file: Slurm is asked only of what may be one --------------------
cd "$TMP"
touch plain
mkdir journal.journal
for word in run.h5 plain journal; do expect_exit 3 cancel "$word"; done
expect_exit 2 cancel no.h5
expect_err "'no.h5': expected a result file, or one that a job of yours in squeue writes, found neither"
expect_exit 2 cancel no-folder/run.h5
printf '#!/bin/sh\ntouch "%s/asked"\n' "$TMP" >"$TMP/bin/squeue"
for word in nope 12a; do
    expect_exit 2 cancel "$word"
    expect_err "'$word': expected the number of a job or a result file, found neither"
done
expect_no_file "$TMP/asked"
