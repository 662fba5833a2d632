# tests/shell/test_gpu_runner.sh - tests and benches on GPUs that are made up: which
# one has which, what needs too many, what time is left for
#
# takes 10 s

# shellcheck disable=SC2016,SC2046
unset TALLY END OUT BASE COMMIT SLOTS TEST_TIMEOUT CUDA_VISIBLE_DEVICES
export B=$TMP/b HERE=$TMP OPSWEEP=/bin/true
fakes=$TMP/tests/fake benches=$TMP/tests/bench
mkdir -p "$fakes" "$benches" "$HERE/meet"
! unshare --mount mount -t tmpfs none /dev/shm 2>/dev/null || touch "$HERE/own_shm"

# fake NAME [LINE...]: a test
fake() { printf '%s\n' "${@:2}" >"$fakes/test_$1.sh"; }
# program FILE LINE...
program() {
    printf '%s\n' '#!/bin/bash' "${@:2}" >"$1"
    chmod +x "$1"
}
# on GPUS CODE TEST...: the table, without times, to $TMP/table
on() {
    GPU_IDS=$1 expect_exit "$2" tests/gpu/run "${@:3}"
    sed -n '/^test  *result/,$p' "$TMP/out" |
        sed -E 's/ +[0-9]+\.[0-9] / /; s/ - / /; s/in all [0-9]+ s/in all T s/;
            s/[0-9]+ % of it/P % of it/; s/  +/ /g' >"$TMP/table"
}
names() { for name in "$@"; do echo "$fakes/test_$name.sh"; done; }

# --- a GPU each, and what needs more ---------------------------------------------

# Three that wait for each other, each on a GPU, with folders of its own.
cat >"$TMP/one" <<'S'
# takes 9 s
mkdir "$HERE/meet/$CUDA_VISIBLE_DEVICES"
touch "$TMPDIR/mine"
[ ! -e "$HERE/own_shm" ] || touch "/dev/shm/of-$CUDA_VISIBLE_DEVICES"
for ((i = 0; i < 100; i++)); do
    [ "$(ls "$HERE/meet" | wc -l)" -lt 3 ] || break
    sleep 0.1
done
expect_equal '3 4 5' "$(ls "$HERE/meet" | xargs)" 'GPUs that are in use'
expect_equal mine "$(ls "$TMPDIR")" 'files in TMPDIR'
[ ! -e "$HERE/own_shm" ] || expect_equal "of-$CUDA_VISIBLE_DEVICES" \
    "$(ls /dev/shm)" 'files in /dev/shm'
expect_equal '' "$(env | sed -n '/^GPU_IDS=\|^END=\|^OUT=/p')" 'variables of the runner'
S
for name in a b c; do cp "$TMP/one" "$fakes/test_$name.sh"; done
fake all '# runs alone: it counts the others' '# takes 99 s' \
    'expect_equal "3 4 5" "${CUDA_VISIBLE_DEVICES//,/ }" "all GPUs"' \
    'sleep 0.3' 'expect_equal "" "$(ls "$HERE/meet")" "tests that run beside it"' \
    '[ ! -e "$HERE/two" ] || fail "one that needs two GPUs runs beside it"'
fake two '# needs 2 GPUs' '# takes 5 s' 'touch "$HERE/two"' \
    'expect_equal 2 "$(tr , "\n" <<<"$CUDA_VISIBLE_DEVICES" | sort -u | wc -l)" "GPUs of two"'
fake four '# needs 4 GPUs' 'fail "it was started"'
fake bad 'echo "it says more"' 'fail "the sky is not blue"'
# Programs: their source is looked for below tests/.
program "$fakes/counts" 'printf "[       OK ] %s\n" one two' 'printf "[  SKIPPED ] %s\n" three three'
program "$fakes/deviceless" 'echo "skipped: there is no GPU"'
program "$fakes/empty" 'echo "no test of mine ran"'
TALLY=$TMP/tally OUT=$TMP/out.d on '3 4 5' 1 $(names four two a b c all bad) \
    "$fakes"/{counts,deviceless,empty}
expect_out '^GPUs: 3 4 5; tests at once: 3; (each test has its own|all have one) /dev/shm'
expect_out '^skip  fake/four: needs 4 GPUs, found 3$'
expect_out '^skip  fake/deviceless: skipped: there is no GPU$'
expect_out '^ok    fake/counts .* \(2\)$'
expect_out '^skip  fake/counts: three$'
expect_equal '7 2 3' "$(cat "$TMP/tally")" 'what make test counts'
sed -E 's/ [345]$/ G/; s/ [345],[345]$/ G,G/; s/ [345],[345],[345]$/ G,G,G/' "$TMP/table" >"$TMP/same"
expect_equal 'test result time, s GPU
fake/four skip -
fake/two ok G,G
fake/a ok G
fake/b ok G
fake/c ok G
fake/all ok G,G,G
fake/bad FAIL G
fake/counts ok G
fake/deviceless skip G
fake/empty FAIL G
in all T s, tests had GPUs for P % of it
gpu: 7 passed, 2 failed, 3 skipped' "$(cat "$TMP/same")" 'the table'
expect_grep 'FAILED: the sky is not blue' "$TMP/out.d/fake_bad.log"
expect_grep 'none of its tests passed' "$TMP/out.d/fake_empty.log"

# --- the end of time --------------------------------------------------------------

fake short '# takes 0 s' 'true'
fake endless '# takes 1 s' 'sleep 60'
fake long '# takes 60 s' 'fail "it was started"'
for end in 3 20; do # on a busy machine the start of it all takes seconds
    rm -f "$B/test-times" "$TMP/tally"
    TALLY=$TMP/tally END=$end on '0 1' 4 $(names long endless short)
    ! grep -q '^fake/short ok' "$TMP/table" || break
done
expect_out "^NOT RUN  fake/long: takes some 60 s, [0-9]+ s of END=$end were left\$"
expect_out "^NOT RUN  fake/endless: stopped after [0-9.]+ s at END=$end\$"
expect_equal 'gpu: 1 passed, 0 failed, 2 not run' "$(tail -n 1 "$TMP/table")" 'the last line'
expect_grep "^in all T s of $end s, " "$TMP/table"
expect_grep "^not run: $fakes/test_long.sh $fakes/test_endless.sh\$" "$TMP/table"
expect_equal '1 0 0' "$(cat "$TMP/tally")" 'what make test counts'
expect_equal 'fake/short' "$(cut -d ' ' -f 1 "$B/test-times")" 'times that are remembered'
GPU_IDS=0 END=50 expect_exit 1 tests/gpu/run $(names long bad)
expect_out '^gpu: 0 passed, 1 failed, 1 not run$'

# What a program takes is said by its source, here that of the tree.
mkdir "$TMP/tests/gpu"
program "$TMP/tests/gpu/test_judge" 'exit 1'
GPU_IDS=0 END=40 expect_exit 4 tests/gpu/run "$TMP/tests/gpu/test_judge"
expect_out '^NOT RUN  gpu/judge: takes some [0-9]+ s, '
END=9m GPU_IDS=0 expect_exit 2 tests/gpu/run $(names bad)
expect_err '^END=9m: expected seconds$'

# --- benches ----------------------------------------------------------------------

program "$benches/bench_parts.sh" '# parts: slow quick' '# slow takes 30 s' '# quick takes 2 s' \
    'echo "$1 took 1.5 s on $DEVICE by $OPSWEEP"' "echo \$1 >>$TMP/order"
program "$benches/bench_bad.sh" '# takes 20 s' 'echo "halfway"' "echo bad >>$TMP/order" 'exit 3'
program "$benches/bench_away.sh" '# takes 1 s' 'echo "skip: it has no torch"' 'exit 77'
program "$benches/bench_late.sh" '# takes 3 s' '# stopped after 1 s' "echo late >>$TMP/order" 'sleep 60'
program "$TMP/nvidia-smi" '[ "$1 $2" = "-i 9" ]' 'echo "9, A Model, of 80 GB, 123.4"'
PATH=$TMP:$PATH
COMMIT=abc123 OUT=$TMP/figures on 9 1 "$benches"/bench_{parts,bad,away,late}.sh
expect_equal 'quick late bad slow' "$(xargs <"$TMP/order")" 'the shortest first'
expect_equal 'test result time, s GPU
bench/bench_parts:slow ok 9
bench/bench_parts:quick ok 9
bench/bench_bad FAIL 9
bench/bench_away skip 9
bench/bench_late FAIL 9
in all T s, tests had GPUs for P % of it
gpu: 2 passed, 2 failed, 1 skipped' "$(cat "$TMP/table")" 'the table'
expect_out '^skip  bench/bench_away: skip: it has no torch$'
expect_out '^      \| slow took 1.5 s on cuda by /bin/true$'
expect_grep '^commit abc123$' "$TMP/figures/bench_bench_parts_quick.log"
expect_grep '^GPU 9: A Model, of 80 GB, driver 123.4$' "$TMP/figures/bench_bench_parts_quick.log"
expect_grep '^load before: [0-9.]+ per core' "$TMP/figures/bench_bench_parts_quick.log"
expect_grep '^quick took 1.5 s' "$TMP/figures/bench_bench_parts_quick.log"
expect_grep '^== bench_bad.sh failed, exit code 3$' "$TMP/figures/bench_bench_bad.log"

# Beside an older commit's: where it has it, and not where a bench compares itself.
base=$TMP/base
mkdir -p "$base/build" "$base$benches"
program "$benches/itself.sh" '# compares with BASE' 'echo "compared with $BASE"'
program "$benches/bench_new.sh" 'echo "new took 1 s"'
BASE=$base GPU_IDS=9 expect_exit 1 tests/gpu/run "$benches/bench_new.sh"
expect_out "BASE=$base: no program build/opsweep there; build it: make -C $base"
program "$base/build/opsweep" 'true'
cp "$benches/bench_parts.sh" "$benches/itself.sh" "$base$benches"
BASE=$base GPU_IDS=9 expect_exit 0 tests/gpu/run "$benches"/{bench_parts,itself,bench_new}.sh
expect_equal 1 "$(grep -c "quick took .* by $base/build/opsweep" "$TMP/out")" "figures of the older program"
expect_equal 1 "$(grep -c "quick took .* by /bin/true" "$TMP/out")" "figures of this program"
expect_equal 1 "$(grep -c "compared with $base" "$TMP/out")" "runs of what compares by itself"
expect_out "== bench_new.sh is not in $base"

# --- which GPUs -------------------------------------------------------------------

CUDA_VISIBLE_DEVICES=6,GPU-7 expect_exit 0 tests/gpu/run $(names short)
expect_out '^GPUs: 6 GPU-7; tests at once: 2;'
CUDA_VISIBLE_DEVICES='' expect_exit 0 tests/gpu/run $(names bad)
expect_out '^skip  gpu: no GPU here'
program "$TMP/nvidia-smi" '[ $# -eq 0 ] || exit 6' 'echo No devices were found'
NVIDIACTL=$TMP/nvidia-smi expect_exit 1 tests/gpu/run $(names short)
expect_err 'nvidia-smi is there, and nvidia-smi names no GPU: No devices were found$'
program "$TMP/nvidia-smi" 'echo No devices were found'
NVIDIACTL=$TMP/nvidia-smi expect_exit 1 tests/gpu/run $(names short)
CUDA_VISIBLE_DEVICES='' NVIDIACTL=$TMP/nvidia-smi expect_exit 0 tests/gpu/run $(names short)
NVIDIACTL=$TMP/none expect_exit 0 tests/gpu/run $(names short)
program "$TMP/nvidia-smi" 'echo 8'
NVIDIACTL=$TMP/nvidia-smi expect_exit 0 tests/gpu/run $(names short)
expect_out '^GPUs: 8; tests at once: 1;'
