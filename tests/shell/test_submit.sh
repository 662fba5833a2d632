# tests/shell/test_submit.sh - batch scripts, without a cluster

# --- what is printed is a script that can be kept ------------------------------
mkdir "$TMP/a b"
cd "$TMP/a b"
expect_exit 0 "$OPSWEEP" submit --dry-run --nodes 4 --gpus-per-node 8 --time 2:00:00 \
    --partition p --account a --qos q --after 12 --job-name n --sbatch=--exclusive \
    --device cpu --ops relu,add.Tensor --timeout 1.25 --suite smoke -o "it's.h5"
cp "$TMP/out" "$TMP/script"
expect_exit 0 bash -n "$TMP/script"
for line in --nodes=4 --gpus-per-node=8 --time=2:00:00 --partition=p --account=a --qos=q \
    --dependency=afterany:12 --job-name=n --exclusive; do
    expect_equal 1 "$(grep -cxF "#SBATCH $line" "$TMP/script")" "lines with $line"
done
expect_grep "^#SBATCH --comment=\"opsweep:$TMP/a b/it's.h5\"\$" "$TMP/script"
expect_grep "^cd -- '$TMP/a b' \\|\\| exit 2\$" "$TMP/script"
# Slurm reads no directive after the first command.
expect_equal '' "$(sed '1,/^[^#]/d' "$TMP/script" | grep '^#SBATCH' || :)" 'late directives'
# From the body on it is the shipped script.
shipped=$OLDPWD/slurm/opsweep.sbatch
sed '0,/^# opsweep.sbatch - /d' "$TMP/script" >"$TMP/body"
sed '0,/^# opsweep.sbatch - /d' "$shipped" >"$TMP/shipped-body"
expect_same_file "$TMP/shipped-body" "$TMP/body"
# The words come out of a shell as they went in.
(
    set --
    eval "$(sed -n '/^set -- /p' "$TMP/script")"
    printf '%s\n' "$@"
) | sort >"$TMP/words"
printf '%s\n' --suite=smoke --ops=relu,add.Tensor --device=cpu --timeout=1.25 \
    "--output=it's.h5" | sort >"$TMP/want"
expect_same_file "$TMP/want" "$TMP/words"

# A container has its own files, so that ops are not looked for here.
expect_exit 0 "$OPSWEEP" submit --dry-run --container /images/o.sif --custom-ops-root /in/image --nodes 1
expect_out '^OPSWEEP_CONTAINER=/images/o.sif$'
expect_err "warning: option '--container': expected an image, found no '/images/o.sif' on this machine"
expect_exit 0 "$OPSWEEP" submit --dry-run --container docker://o/o.sif --nodes 1
expect_equal '' "$(cat "$TMP/err")" 'warnings of an image of a registry'
expect_no_grep '^OPSWEEP=' "$TMP/out"

# An array, and the job that merges its files.
expect_exit 0 "$OPSWEEP" submit --dry-run --array 3 --device cpu --suite smoke --partition p --force -o run.h5
expect_out '^#SBATCH --array=1-3$'
expect_out '^#SBATCH --dependency=afterany:ARRAY$'
expect_out '^set -- --merge-shards run.h5 3 --force "[$]@"$'
expect_equal 2 "$(grep -c '^#SBATCH --partition=p$' "$TMP/out")" 'partitions'
# Where a job may run, and for how long, holds for both; with what does not.
expect_exit 0 "$OPSWEEP" submit --dry-run --array 3 --device cpu --suite smoke --time 10 --sbatch=--reservation=r \
    --sbatch=--clusters=c --sbatch=-pdebug --sbatch=--exclusive --sbatch=--mem=8G -o run.h5
for pair in --time=10:2 --reservation=r:2 --clusters=c:2 -pdebug:2 --exclusive:1 --mem=8G:1; do
    expect_equal "${pair##*:}" "$(grep -cxF -- "#SBATCH ${pair%:*}" "$TMP/out")" "jobs with ${pair%:*}"
done
expect_exit 2 "$OPSWEEP" submit --dry-run --array 3 --resume run.h5
expect_err "options '--array' and '--resume': expected one of them"
expect_exit 2 "$OPSWEEP" submit --dry-run --array 900 --device cpu --ops relu -o run.h5
expect_err "option '--array': .*expected N up to 1, the number of cases"
# What Slurm, or the job, would refuse later.
expect_exit 2 "$OPSWEEP" submit --dry-run --time 2h --device cpu --ops relu
expect_err "option '--time': expected minutes, or a time such as 2:00:00 .*found '2h'"
echo text >no.h5
mkdir folder.h5
expect_exit 2 "$OPSWEEP" submit --dry-run --resume no.h5
expect_err "option '--resume': 'no.h5' is no HDF5 file"
expect_exit 2 "$OPSWEEP" submit --dry-run --resume folder.h5
expect_err "option '--resume': 'folder.h5' is a folder"
touch run.shard-2.h5
expect_exit 2 "$OPSWEEP" submit --dry-run --array 3 --device cpu --suite smoke -o run.h5
expect_err "run.shard-2.h5' exists"

# --- shards are merged, and the worst exit code counts -------------------------
cat >"$TMP/fake" <<'FAKE'
#!/bin/sh
echo "$@"
exit "${MERGE_CODE:-0}"
FAKE
chmod +x "$TMP/fake"
export OPSWEEP_SITE=/dev/null HOME=$TMP

# merged CODE MERGE CODES...: exit code of the job, of the merge and of each shard;
# "-" is a shard that left neither file nor code
merged() {
    local want=$1 i=0 code
    export MERGE_CODE=$2
    shift 2
    rm -f run.shard-*
    for code in "$@"; do
        i=$((i + 1))
        [ "$code" != - ] || continue
        echo "$code" >"run.shard-$i.exit"
        case $code in 0 | 1 | 4) touch "run.shard-$i.h5" ;; esac
    done
    OPSWEEP=$TMP/fake expect_exit "$want" bash "$shipped" --merge-shards run.h5 "$#" --force
}
merged 0 0 0 0 0
expect_out '^merge --force run.h5 run.shard-1.h5 run.shard-2.h5 run.shard-3.h5$'
merged 1 0 0 1 0
merged 4 4 0 1 4
merged 5 0 1 5 4
expect_out '^merge --force run.h5 run.shard-1.h5 run.shard-3.h5$'
expect_err "no 'run.shard-2.h5': shard 2 of 3 ended by exit code 5"
merged 4 0 0 - 0
merged 2 0 2 4 1
merged 0 0 0 3 3 # fewer cells than shards
merged 3 0 3 3
merged 5 5 0 0

# Services and cron start programs without HOME.
rm -f run.shard-*
touch run.shard-1.h5
echo 0 >run.shard-1.exit
MERGE_CODE=0 expect_exit 0 env -u HOME -u OPSWEEP_SITE OPSWEEP="$TMP/fake" \
    bash "$shipped" --merge-shards run.h5 1

# --- files of an earlier array are not merged once more --------------------------
mkdir "$TMP/bin"
cat >"$TMP/bin/sbatch" <<SH
#!/bin/sh
echo "\$@" >"$TMP/words"
cat >"$TMP/submitted"
case \$REFUSE:\$* in 1:* | merge:*=afterany:77*) false ;; *) true ;; esac || { echo "sbatch: error: invalid partition specified: p"; exit 1; }
echo 77
SH
chmod +x "$TMP/bin/sbatch"
touch run.shard-1.h5 run.shard-2.h5 run.shard-4.h5
echo 0 >run.shard-2.exit
array() { PATH=$TMP/bin:$PATH "$OPSWEEP" submit --array 3 --device cpu --suite smoke --partition p -o run.h5 "$@"; }
expect_exit 2 array
expect_err "run.shard-1.h5' exists"
REFUSE=1 expect_exit 2 array --force # and nothing is gone
expect_equal 'run.shard-1.exit run.shard-1.h5 run.shard-2.exit run.shard-2.h5 run.shard-4.h5' \
    "$(echo run.shard-*)" 'what is there when Slurm refuses'
REFUSE=merge expect_exit 2 array --force
expect_err 'the array is queued as job 77, the job that merges its 3 files is not: .*invalid partition'
expect_err "'scancel 77' ends the array; .* files: opsweep merge run.h5 run.shard-[*].h5\$"
expect_exit 0 array --force
# What is given counts for more than variables such as SBATCH_PARTITION.
expect_grep '^--parsable .*--dependency=afterany:77' "$TMP/words"
expect_grep ' --partition=p( |$)' "$TMP/words"
expect_out '^job 77 '
expect_equal 'run.shard-4.h5' "$(echo run.shard-*)" 'what is left of an earlier array'
touch run.h5 # another campaign's
expect_exit 2 array --resume-if-there
expect_err "run.h5'? exists"

# --- a file that a job in the queue writes ------------------------------------------
printf '#!/bin/sh\ncat "%s/jobs"\n' "$TMP" >"$TMP/bin/squeue"
chmod +x "$TMP/bin/squeue"
twice() { PATH=$TMP/bin:$PATH "$OPSWEEP" submit --device cpu --suite smoke --force -o run.h5 "$@"; }
for job in "9|RUNNING|1:00|opsweep:$PWD/run.h5" "9_1|RUNNING|1:00|opsweep stops:$PWD/run.shard-%a.h5"; do
    printf '%s\n' '8|PENDING|0:00|opsweep:/other.h5' "$job" >"$TMP/jobs"
    rm -f "$TMP/submitted"
    for words in '' '--array 2' '--resume-if-there'; do
        # shellcheck disable=SC2086
        expect_exit 2 twice $words
        expect_err "'run.h5': job ${job%%|*} \(RUNNING\) writes it: expected another --output, or --after 9\$"
    done
    expect_no_file "$TMP/submitted"
    for words in '--after 9' '--sbatch=--dependency=singleton' '-o more.h5'; do
        # shellcheck disable=SC2086
        expect_exit 0 twice $words
    done
done
rm "$TMP/bin/squeue"

# --- flags that are turned off stay so, and numbers are whole ----------------------
rm -f run.h5 run.shard-*
expect_exit 0 "$OPSWEEP" submit --dry-run --cold=false --force --max-work 1234567 --device cpu --suite smoke -o run.h5
expect_out '^set -- .*--cold=false'
expect_out '^set -- .* --force( |$)'
expect_out '^set -- .*--max-work=1234567( |$)'

# --- an interpreter -----------------------------------------------------------------
# What is no program is an error, unless its folder is on the nodes only.
named() { "$OPSWEEP" submit --dry-run --device cpu --suite smoke --force -o run.h5 --python "$@"; }
expect_exit 2 named "$TMP/no-python"
expect_err "'.*/no-python': expected a python3, found no program"
expect_exit 2 named no-such-python
expect_exit 0 named "$TMP/on-nodes/python3"
expect_err "warning: .*'.*/on-nodes/python3': expected a python3, found no program on this machine"
expect_exit 0 named no-such-python --container image.sif

# --- a site file that is not there ----------------------------------------------------
printf '#!/bin/sh\nexit 1\n' >"$TMP/bin/srun"
chmod +x "$TMP/bin/srun"
PATH=$TMP/bin:$PATH OPSWEEP_SITE=$TMP/no-site OPSWEEP_COMMENT_S=0 SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=1 \
    bash "$shipped" >"$TMP/log" 2>&1 || true
expect_grep "opsweep: OPSWEEP_SITE '.*/no-site': expected a file, found none that can be read" "$TMP/log"

# --- ranks that do not begin -------------------------------------------------------------
# srun's own codes, and those of signals, are none of the campaign.
for pair in 1:5 255:5 137:5 2:2 3:3; do
    printf '#!/bin/sh\nexit %s\n' "${pair%:*}" >"$TMP/bin/srun"
    PATH=$TMP/bin:$PATH OPSWEEP_COMMENT_S=0 SLURM_JOB_ID=1 SLURM_JOB_NODELIST=n1 \
        expect_exit "${pair#*:}" bash "$shipped"
    [ "${pair#*:}" != 5 ] || expect_out "the campaign did not begin: srun ended with exit code ${pair%:*}\$"
done

# A container whose runtime is on no machine: srun would end with 2, as bad input does.
SLURM_JOB_ID=1 OPSWEEP_CONTAINER=/o.sif OPSWEEP_RUNTIME='no-such-runtime exec' expect_exit 5 bash "$shipped"
expect_err "'no-such-runtime', which starts the container, is no program on .*: OPSWEEP_RUNTIME"

# --- not by a shell ------------------------------------------------------------------------
expect_exit 2 env -u SLURM_JOB_ID bash "$shipped"
expect_equal "opsweep: this is the script of a Slurm job: submit it by 'sbatch $shipped'" "$(cat "$TMP/err")" 'what it says'
