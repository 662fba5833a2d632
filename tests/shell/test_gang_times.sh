# takes 30 s
# runs alone: it times gangs, and two ranks take both cores
#
# Collective ops are timed on a processor, too: a sample is that of the slowest
# rank, and bandwidths are those of nccl-tests, in every format.

# csv NAME WORDS...: a campaign of two workers, its cells in NAME.csv
csv() {
    local name=$1
    shift
    timeout 300 "$OPSWEEP" run --device cpu -n 3 -f -o "$TMP/$name.h5" --profile smoke "$@" \
        >"$TMP/log" 2>&1 || :
    "$OPSWEEP" report "$TMP/$name.h5" --fail-on none --format csv -o "$TMP/$name.csv" || [ $? = 3 ]
}

# A world of 2, a size of 40,000 f32; one rank is late in the calls of `late`, and the
# clock of `liar` runs at an eighth of its speed.
mkdir -p "$TMP/lib" "$TMP/bad"
cp -r ops/library/shared "$TMP/lib"
for op in all_reduce all_gather broadcast; do
    cp -r ops/library/$op "$TMP/lib"
    sed -i 's/"world": 4/"world": 2/' "$TMP/lib/$op/op.json"
    echo '{"performance": ["((T([40000], f32),), {})"]}' >"$TMP/lib/$op/gen_input.json"
done
cp -r "$TMP/lib/shared" "$TMP/lib/all_reduce" "$TMP/bad"
echo '{"performance": ["((T([4000], f32),), {})"]}' >"$TMP/bad/all_reduce/gen_input.json"
rm "$TMP"/bad/all_reduce/all_reduce_{doubling,ring}.c "$TMP"/bad/all_reduce/*.cu
sed '1i #include <unistd.h>
s/    int rank = osw_rank(call)/    int slow = osw_rank(call) == 1 \&\& usleep(3000), rank = osw_rank(call) + slow/' \
    "$TMP/lib/all_reduce/all_reduce_plain.c" >"$TMP/bad/all_reduce/all_reduce_late.c"
# What one call of 200 waits for is no lie of the others.
sed '1i #include <unistd.h>
s/    int rank = osw_rank(call)/    static int n;\n    int slow = osw_rank(call) == 1 \&\& n++ % 200 == 0 \&\& usleep(10000), rank = osw_rank(call) + slow/' \
    "$TMP/lib/all_reduce/all_reduce_plain.c" >"$TMP/bad/all_reduce/all_reduce_uneven.c"
sed "1i #include \"$PWD/tests/mutants/fast_clock.h\"
s/    int rank = osw_rank(call)/    int rank = (fast_clock(), osw_rank(call))/" \
    "$TMP/lib/all_reduce/all_reduce_plain.c" >"$TMP/bad/all_reduce/all_reduce_liar.c"

# Right in each call that is judged: `keeps` looks at one element alone, and only once
# it was called some times with the same.  Which element of 4,000 changes between two
# calls is chance: it works again in one of 100.
sed 's/^int all_reduce_kernel_impl/static int works/' "$TMP/lib/all_reduce/all_reduce_plain.c" \
    >"$TMP/bad/all_reduce/all_reduce_keeps.c"
cat >>"$TMP/bad/all_reduce/all_reduce_keeps.c" <<'C'
int all_reduce_kernel_impl(const osw_call *call)
{
    static float key, kept[4000];
    static int n;
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out;
    int rc;

    n = memcmp(&key, osw_data(x), sizeof(key)) ? 0 : n + 1;
    if (n > 8) {
        out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
        return out ? (memcpy(osw_data(out), kept, sizeof(kept)), 0) : OSW_ERROR;
    }
    memcpy(&key, osw_data(x), sizeof(key));
    rc = works(call);
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (rc == 0 && out)
        memcpy(kept, osw_data(out), sizeof(kept));
    return rc;
}
C

for _ in 1 2 3; do
    csv lib --custom-ops-root "$TMP/lib" --impls plain,ring
    grep -q ',pass,' "$TMP/lib.csv" && break
    grep -q 'machine too busy' "$TMP/lib.csv" || fail 'no cell passed on a machine that is not busy'
done
if ! grep -q ',pass,' "$TMP/lib.csv"; then
    echo 'machine too busy in three campaigns: no call of a gang could be timed'
    exit 77
fi
csv bad --custom-ops-root "$TMP/bad" --impls plain,late,uneven,liar,keeps
python3 - "$TMP" <<'PY' || fail 'figures of collective ops'
import csv, sys

def cells(name):
    return list(csv.DictReader(open(f"{sys.argv[1]}/{name}.csv")))

def near(a, b):
    return abs(float(a) - b) <= 1e-9 * abs(b)

want = {"all_reduce": (160000, 1, "sum"), "all_gather": (320000, 0.5, "none"), "broadcast": (160000, 1, "none")}
timed = 0
for r in cells("lib"):
    size, bus, redop = want[r["op"].split(".")[0]]
    assert r["status"] in ("pass", "skipped"), r
    assert (r["world"], r["redop"]) == ("2", redop), r
    assert near(r["coll_bytes"], size) and near(r["coll_count"], 40000), r
    if r["status"] == "pass":
        timed += 1
        assert near(r["algbw"], size / float(r["t_median_ns"])), r
        assert near(r["busbw"], bus * float(r["algbw"])), r
        assert 0 <= float(r["skew_ns"]), r
assert timed > 0, "every cell was skipped"
by = {r["impl"]: r for r in cells("bad")}
assert by["late"]["status"] in ("pass", "skipped"), by["late"]
assert float(by["late"]["t_median_ns"]) >= 3e6, by["late"]
assert by["uneven"]["status"] in ("pass", "skipped"), by["uneven"]
assert by["plain"]["status"] in ("pass", "skipped"), by["plain"]
assert by["keeps"]["status"] in ("value", "skipped"), by["keeps"]
assert by["keeps"]["status"] == "skipped" or "while it was timed" in by["keeps"]["reason"], by["keeps"]
assert by["liar"]["status"] in ("implausible", "skipped"), by["liar"]
PY

# The same in the table, of one cell, and in the page.
row=$(python3 - "$TMP/lib.csv" <<'PY'
import csv, sys
print(next(r["row"] for r in csv.DictReader(open(sys.argv[1])) if r["status"] == "pass"))
PY
)
expect_exit 0 "$OPSWEEP" report "$TMP/lib.h5" --fail-on none
expect_out '^(all_reduce|all_gather|broadcast).default, 2 ranks$'
expect_out '^ +(160000|320000) +40000 f32 +(sum|none) +(plain|ring) .* [0-9.]+ +[0-9.]+ +[0-9.]+ [mun]?s$'
expect_exit 0 "$OPSWEEP" show "$TMP/lib.h5" "$row"
expect_out '^ranks +2; (160000|320000) bytes, 40000 f32 each, .* busbw '
expect_exit 0 "$OPSWEEP" report "$TMP/lib.h5" --fail-on none --format html -o "$TMP/page.html"
expect_grep '<h3>(all_reduce|all_gather|broadcast).default, 2 ranks</h3>' "$TMP/page.html"
python3 -B tests/shell/html_page.py "$TMP/page.html"

# Cells for each number of ranks, with keys of their own; too many: left out.
mkdir "$TMP/worlds"
cp -r "$TMP/lib/shared" "$TMP/lib/all_reduce" "$TMP/worlds"
sed -i 's/"world": 2/"world": [2, 3]/' "$TMP/worlds/all_reduce/op.json"
csv worlds --custom-ops-root "$TMP/worlds" --impls plain,ring --profile correct
python3 - "$TMP/worlds.csv" <<'PY' || fail 'cells of several worlds'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert sorted((r["world"], r["impl"], r["status"]) for r in rows) == [
    ("2", "plain", "pass"), ("2", "ring", "pass"), ("3", "plain", "skipped"), ("3", "ring", "skipped")], rows
assert len({r["cell_key"] for r in rows}) == 4, rows
assert all("world of 3 needs 3 workers, there are 2" in r["reason"] for r in rows if r["world"] == "3")
PY
row=$(python3 -c 'import csv, sys
print(next(r["row"] for r in csv.DictReader(open(sys.argv[1])) if r["world"] == "2"))' "$TMP/worlds.csv")
expect_exit 0 "$OPSWEEP" repeat "$TMP/worlds.h5" "$row" --runs 1
expect_out '1 of 1 run ended as recorded .pass.'
# The command that `show` gives is of that number of ranks alone.
expect_exit 0 "$OPSWEEP" show "$TMP/worlds.h5" "$row"
again=$(sed -n 's/^ *opsweep \(run .* -o\) cell.h5$/\1/p' "$TMP/out")
expect_exit 0 eval "'$OPSWEEP' $again '$TMP/again.h5'"
expect_out 'again.h5: 1 cell, 1 pass'
