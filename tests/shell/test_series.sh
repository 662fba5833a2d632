# opsweep run --series: ranks stay, and judge one campaign after another
#
# takes 10 s

. tests/shell/stops.sh
make_op "$TMP/ops"
plain=$TMP/ops/scale/scale_plain.c
cd "$TMP"

# campaign NAME SEED RANKS: NAME.json, into NAME.h5
campaign() {
    cat >"$1.json" <<J
{"custom_ops_root": "$TMP/ops", "device": "cpu", "profile": "correct", "seed": $2, "ranks": $3, "output": "$1.h5"}
J
}

# await_campaign N: so many campaigns have ended
await_campaign() {
    local i
    for ((i = 0; i < 1500; i++)); do
        [ "$(grep -s '^campaign ended with exit code' said | wc -l)" -lt "$1" ] ||
            return 0
        kill -0 "$series" 2>/dev/null || break
        sleep 0.02
    done
    fail "campaign $1 did not end: $(cat said log)"
}

# ranks: the processes of the series, launchers too; not a child of a rank that is
# about to become another program
ranks() {
    local pid name parent
    for pid in $(pgrep -f "run a.json --series -f --fail-on [n]one" | sort || true); do
        name_of "$pid"
        [ -n "$name" ] || continue
        parent=$(ps -o comm= -p "$(ps -o ppid= -p "$pid")" || true)
        [ "$name $parent" = 'opsweep opsweep' ] || printf '%s ' "$pid"
    done
}

# What is judged is what lies in the folders when a campaign begins: ranks that
# stay remember neither code nor verdicts.
for n in 1 3; do
    make_op "$TMP/ops"
    rm -f ./*.h5 ops/scale/scale_other.c
    for name in a b c d; do campaign $name 1 $n; done
    campaign d 2 $n
    mkfifo next
    "$OPSWEEP" run a.json --series -f --fail-on none <next >said 2>log &
    series=$!
    exec 3>next
    await_campaign 1
    before=$(ranks)
    sed -i 's/a \*/1 + a */' "$plain"
    echo b.json >&3
    await_campaign 2
    cp "$plain" "$TMP/ops/scale/scale_other.c"
    sed -i 's/1 + a \*/a */' "$plain"
    echo c.json >&3
    await_campaign 3
    expect_equal "$before" "$(ranks)" 'ranks were started anew'
    echo d.json >&3
    await_campaign 4
    exec 3>&-
    rc=0
    wait "$series" || rc=$?
    expect_equal 0 $rc 'exit code'
    expect_equal "$n" "$(for i in $before; do echo "$i"; done | wc -l |
        awk -v n="$n" '{ print n == 1 ? $1 : $1 - 2 }')" 'number of ranks'
    rm next
    for name in a:2:0 b:0:2 c:2:2 d:2:2; do
        IFS=: read -r file pass fail <<<"$name"
        expect_exit $((fail > 0)) "$OPSWEEP" report "$file.h5"
        expect_out "^cells .* = $pass pass \+ $fail fail \+ 0 error"
    done
done

# Options that are for one campaign, and a campaign that there is not.
expect_exit 2 "$OPSWEEP" run --series
expect_err "option '--series' needs the file of the first campaign, found none"
expect_exit 2 "$OPSWEEP" run a.json --series -o x.h5
expect_err "option '--output' is for one campaign, and '--series' for several: expected one of them"
rm -f next
echo none.json >next
rc=0
"$OPSWEEP" run a.json --series -f --fail-on none <next >said 2>log || rc=$?
expect_equal 2 $rc 'exit code of a series with a campaign that is not there'
expect_grep "none.json" log
expect_grep '^campaign ended with exit code 0' said

# A series that waits ends when it is asked to, and with the process that began it.
for how in 'TERM 0' 'KILL 137'; do
    read -r signal code <<<"$how"
    rm -f next said
    mkfifo next
    "$OPSWEEP" run a.json --series -f --fail-on none <next >said 2>log &
    series=$!
    exec 3>next
    await_campaign 1
    kill "-$signal" "$series"
    rc=0
    wait "$series" || rc=$?
    expect_equal "$code" $rc "exit code after $signal"
    for ((i = 0; i < 500; i++)); do
        [ -n "$(ranks)" ] || break
        sleep 0.02
    done
    expect_equal '' "$(ranks)" "left after $signal"
    exec 3>&-
done

# After a campaign that lost a rank it ends: the next one needs new processes.
make_slow_op "$TMP/slow" 0.03 40 # a cell takes 0.2 s
sed "s|$TMP/ops|$TMP/slow|; s|a.h5|$TMP/run.h5|" a.json >slow.json
rm -f next
mkfifo next
"$OPSWEEP" run slow.json --series -f --fail-on none <next >said 2>log &
series=$!
exec 3>next
await_results 3
kill -KILL "$(rank_pid 2)"
rc=0
wait "$series" || rc=$?
exec 3>&-
expect_equal 0 $rc 'exit code without a rank'
expect_grep '40 cells, 40 pass' said
expect_no_grep 'campaign ended' said
await_gone 10
