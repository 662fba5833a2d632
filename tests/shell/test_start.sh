# MPI waits for ever for a rank that dies while all start.  The others notice,
# nothing was done, and the job is started a second time.
#
# takes 55 s

make_op "$TMP/ops"
words=(run --custom-ops-root "$TMP/ops" --profile correct --heartbeat 0.1 --silence 0.5 -n 3
    -o "$TMP/run.h5")

# An mpirun whose rank 2 dies at once in the first DEATHS starts.
mkdir "$TMP/bin"
real=$(command -v mpirun)
cat >"$TMP/bin/mpirun" <<MPIRUN
#!/bin/bash
words=()
for word; do
    [ "\$word" != run ] || words[-1]="$TMP/bin/rank"
    words+=("\$word")
done
echo >>"$TMP/starts"
exec $real "\${words[@]}"
MPIRUN
cat >"$TMP/bin/rank" <<RANK
#!/bin/sh
[ "\$OMPI_COMM_WORLD_RANK" != 2 ] || [ \$(wc -l <"$TMP/starts") -gt \$DEATHS ] ||
    kill -\${DEATH:-KILL} \$\$
exec $OPSWEEP "\$@"
RANK
chmod +x "$TMP/bin/mpirun" "$TMP/bin/rank"
PATH=$TMP/bin:$PATH

export DEATHS=1
expect_exit 0 "$OPSWEEP" "${words[@]}"
expect_err '^opsweep: MPI does not come up: a rank or a node was lost'
expect_err 'MPI did not come up, and nothing was done: a second try'
expect_equal 2 "$(wc -l <"$TMP/starts")" starts
expect_exit 0 "$OPSWEEP" report "$TMP/run.h5"

# Nor does it come up for a rank that is stopped while all start.  mpirun would wait
# for that for ever.
: >"$TMP/starts"
expect_exit 0 env DEATH=STOP timeout -k 5 400 "$OPSWEEP" "${words[@]}" --force
expect_err 'MPI did not come up, and nothing was done: a second try'
expect_equal 2 "$(wc -l <"$TMP/starts")" starts

# There is no third one.
: >"$TMP/starts"
export DEATHS=9
expect_exit 5 "$OPSWEEP" "${words[@]}" --force
expect_err '^opsweep: MPI did not come up; mpirun'
expect_equal 2 "$(wc -l <"$TMP/starts")" starts

# Rank 0 dies when all are there, before its first message: the workers see that
# its process has ended.  Else they would wait ten minutes for that message.
export DEATHS=0
expect_exit 4 timeout -k 5 400 \
    env LD_PRELOAD="$B/tests/chaos/root_dies.so" "$OPSWEEP" "${words[@]}" --force
expect_err "the coordinator's process has ended"

# Rank 0 reads a run that is to be resumed before it says what is to be done: its
# workers hear that it is alive, however long that takes.
cat >"$TMP/slow.c" <<'C'
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*filter_f)(const struct dirent *);
typedef int (*compare_f)(const struct dirent **, const struct dirent **);

int scandir(const char *dir, struct dirent ***out, filter_f filter, compare_f compare)
{
    int (*real)(const char *, struct dirent ***, filter_f, compare_f) =
        (int (*)(const char *, struct dirent ***, filter_f, compare_f))dlsym(RTLD_NEXT, "scandir");
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    if (rank && strcmp(rank, "0") == 0 && strstr(dir, ".journal"))
        sleep(4); /* twice */
    return real(dir, out, filter, compare);
}
C
${CC:-cc} -shared -fPIC -o "$TMP/slow.so" "$TMP/slow.c" -ldl
. tests/shell/stops.sh
make_slow_op "$TMP/ops" 0.05 60
"$OPSWEEP" "${words[@]}" --force >"$TMP/log" 2>&1 &
pid=$!
await_results 3
kill -TERM "$pid"
wait "$pid" || expect_equal 4 $?
resume=(env LD_PRELOAD="$TMP/slow.so" "$OPSWEEP" run --resume "$TMP/run.h5"
    --heartbeat 0.1 -n 3)

# One that ends meanwhile, after its first words, is not waited for.
"${resume[@]}" --silence 2 >"$TMP/log" 2>&1 &
pid=$!
until grep -qs started "$TMPDIR"/opsweep-outcome-*.pid; do sleep 0.1; done
sleep 1
for r in 1 2; do kill -KILL "$(rank_pid $r)"; done
since=$(date +%s%N)
wait "$pid" || expect_equal 4 $?
[ "$(seconds_since "$since")" -lt 40 ] || fail 'it waited for ranks that were gone'
for r in 1 2; do expect_grep "rank $r is lost: its process has ended" "$TMP/log"; done

# The last rank that is waited for has a third of --silence, also on a busy machine.
expect_exit 0 "${resume[@]}" --silence 10
expect_out 'run.h5: 60 cells, 60 pass; 2 workers'
expect_no_grep 'silent|is lost' "$TMP/err"
