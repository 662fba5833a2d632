# tests/slurm/test_container.sh - a job whose ranks run in an image, under
# Charliecloud
#
# takes turns: a cluster
# takes 5 s

. tests/slurm/cluster.sh

needs_namespaces ch-run
export XDG_CACHE_HOME=$TMP/cache
make_op "$TMP/ops"

# The image has this machine's programs and libraries.  opsweep is at a place
# where it is in the image alone.
image=$TMP/image
mkdir -p "$image"/{usr,etc,dev,proc,sys,tmp,home,opsweep}
cp -a /etc/{alternatives,ld.so.cache,openmpi,passwd,group,hosts} "$image/etc"
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$image/$folder"; done
inside=/opsweep${OPSWEEP#"$PWD"}
case $TMP in
/tmp/*) own= ;; # of the machine, in every image
*) own="-b $TMP:$TMP" && mkdir -p "$image$TMP" ;;
esac
cat >"$TMP/site.conf" <<SITE
export USER=root TMPDIR=/tmp # ch-run shows TMPDIR as /tmp
OPSWEEP_RUNTIME="ch-run -w --cd=\$PWD -b /usr:/usr $own -b $PWD:/opsweep {} --"
SITE

# queue FILE: its job is $job
queue() {
    (cd "$TMP/work" &&
        OPSWEEP=$inside OPSWEEP_SITE=$TMP/site.conf "$OPSWEEP" submit \
            --sbatch="--output=$TMP/job.log" --container "$image" --nodes 2 \
            --custom-ops-root "$TMP/ops" --device cpu --profile smoke \
            -o "$1") >"$TMP/queued"
    job=$(sed -n 's/^job \([0-9]*\) writes .*/\1/p' "$TMP/queued")
}

cluster_up 2
mkdir "$TMP/work"
queue run.h5
await_job 0
expect_no_grep 'PMIX ERROR|WARNING' "$TMP/job.log"
expect_grep 'workers: 2, nodes: 2 ' "$TMP/job.log"
expect_exit 0 "$OPSWEEP" report "$TMP/work/run.h5"
expect_out '[1-9][0-9]* pass'

# A runtime that is not there: how to name another one, and a failed job.
sed -i 's/"ch-run/"no-such-runtime/' "$TMP/site.conf"
await_idle
queue no.h5
await_job 5
expect_grep "'no-such-runtime', which starts the container, is no program on node" "$TMP/job.log"
expect_no_file "$TMP/work/no.h5"
