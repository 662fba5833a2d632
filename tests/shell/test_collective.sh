# Collective ops, judged by a gang of workers without a coordinator
# (tests/gang/gang.c): right ones pass on all cases, mutants end in the state that
# their name begins with.  Lines: implementation, case, state, reason.
#
# takes 50 s

gang() { timeout 120 "$B/tests/gang/gang" "$@"; }

# What ended in another state than its name says.
unlike() { awk -F'\t' '{ split($1, name, "__"); if ($3 != name[1]) print }' "$1"; }

for op in sum gather; do
    expect_exit 0 quickly gang -t 1 -c 0 tests/gang/mutants/$op
    cp "$TMP/out" "$TMP/$op"
    expect_equal '' "$(unlike "$TMP/$op")" "mutants of $op"
    files=$(find tests/gang/mutants/$op -name "${op}_*__*.c" | wc -l)
    expect_equal "$files" "$(cut -f1 "$TMP/$op" | sort -u | wc -l)" "cells of $op"
done

# The rank that is the cause is named.
expect_grep '^crash__one_rank.*	rank 2: killed by signal 11' "$TMP/sum"
expect_grep '^returned__by_one_rank.*	rank 1: .*no more room' "$TMP/sum"
expect_grep '^returned__counts_differ.*	rank 0: .*rank 2 sent 79996 bytes to rank 0, expected 80000' "$TMP/sum"
expect_grep '^timeout__a_rank_hangs.*	rank 2: no answer' "$TMP/sum"
expect_grep '^timeout__a_rank_stays_away.*	rank [02]: .*it waited for rank 1' "$TMP/sum"
expect_grep "^returned__memory_overwritten.*memory was overwritten" "$TMP/gather"
expect_grep '^guard__past_the_end.*	rank 2: ' "$TMP/sum"

# A worker that is lost in the middle: no cell is recorded, no other one hangs.
expect_exit 1 quickly gang -k 1 -c 0 tests/gang/mutants/gather
expect_equal '' "$(cat "$TMP/out")" 'cells of a broken gang'

for op in all_reduce all_gather reduce_scatter broadcast all_to_all; do
    expect_exit 0 gang ops/library/$op
    expect_equal '' "$(grep -v '	pass	' "$TMP/out" || true)" "$op"
    expect_grep '^plain	20	pass' "$TMP/out"
done

# Ops that are fused with one, and what a wrong step in each ends as.
while read -r op impl n from to; do
    expect_exit 0 gang ops/library/$op
    expect_equal '' "$(grep -v '	pass	' "$TMP/out" || true)" "$op"
    expect_equal "$n" "$(grep -c "^$impl	" "$TMP/out")" "cases of $op"
    mkdir -p "$TMP/wrong"
    cp -r ops/library/shared ops/library/$op "$TMP/wrong"
    sed -i "s/${from//_/ }/${to//_/ }/" "$TMP/wrong/$op/${op}_$impl.c"
    cmp -s "ops/library/$op/${op}_$impl.c" "$TMP/wrong/$op/${op}_$impl.c" && fail "$op: nothing was changed"
    expect_exit 0 gang -c 0 "$TMP/wrong/$op" $impl
    expect_out "^$impl	0	value	"
done <<'OPS'
all_reduce_rms_norm plain 23 residual,_i)_+ residual,_i)_-
all_reduce_rms_norm fused 23 +=_(float) -=_(float)
all_gather_matmul ring 17 world_-_step)_% step)_%
matmul_reduce_scatter ring 13 rows,_1, rows,_0,
OPS

# The example of docs/OPS.md is what it says.
mkdir -p "$TMP/page/together/ranksum"
awk -v to="$TMP/page/" '/^```/ { file = "" }
    file { print >to file }
    match($0, /file=together\/[^ ]*/) { file = substr($0, RSTART + 5, RLENGTH - 5) }' docs/OPS.md
expect_exit 0 gang "$TMP/page/together/ranksum"
expect_equal 'plain	0	pass	' "$(cat "$TMP/out")" 'the example of docs/OPS.md'

# The names of gangs' memory are gone.
expect_equal '' "$(find /dev/shm -maxdepth 1 -name 'opsweep-gang-*')" 'left in /dev/shm'

# A campaign over MPI, with three workers and with one.
csv() { # NAME: implementation and state of each cell
    "$OPSWEEP" report "$TMP/$1.h5" --fail-on none --format csv -o "$TMP/$1.csv" || [ $? = 3 ]
    python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])): print(r["impl"], "0", r["status"], sep="\t")' "$TMP/$1.csv"
}
expect_exit 1 quickly "$OPSWEEP" run --custom-ops-root tests/gang/mutants -n 4 --timeout 2 \
    --profile correct -o "$TMP/all.h5"
csv all >"$TMP/all"
expect_equal '' "$(unlike "$TMP/all")" 'mutants in a campaign'
expect_equal "$(cat "$TMP/sum" "$TMP/gather" | wc -l)" "$(wc -l <"$TMP/all")" 'cells of the campaign'
expect_exit 3 quickly "$OPSWEEP" run --custom-ops-root tests/gang/mutants --ops gather \
    -n 1 --profile correct -o "$TMP/alone.h5"
csv alone >"$TMP/alone"
expect_equal '' "$(grep -v '	skipped$' "$TMP/alone" || true)" 'cells without enough workers'
expect_grep 'world of 3 needs 3 workers, there is 1' "$TMP/alone.csv"

# One cell again starts the workers that its op needs.
expect_exit 0 "$OPSWEEP" repeat "$TMP/all.h5" gather/pass__by_rank --runs 1
expect_out '1 of 1 run ended as recorded .pass.'
expect_exit 2 "$OPSWEEP" show "$TMP/all.h5" gathr/pass__by_rank
expect_err "did you mean 'gather.default/pass__by_rank'"
