# tests/shell/test_resume_if_there.sh - a start that is repeated goes on with its
# run, however the result file is named
#
# mostly waits: until a start counts as dead
# takes 35 s

make_op "$TMP/ops"
cat >"$TMP/campaign.json" <<JSON
{"custom_ops_root": "$TMP/ops", "device": "cpu", "profile": "correct", "ranks": 1, "output": "$TMP/json.h5"}
JSON
campaign=(--custom-ops-root "$TMP/ops" --device cpu --profile correct -n 1)

# cut_off WORDS...: a run by them whose coordinator is killed while it judges
cut_off() {
    local i pid
    "$OPSWEEP" run "$@" >"$TMP/cut.log" 2>&1 &
    pid=$!
    for ((i = 0; i < 300; i++)); do
        [ ! -d "$file.journal" ] || break
        sleep 0.02
    done
    sleep 0.2
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null || :
    [ -d "$file.journal" ] || fail "no '$file.journal'"
}
sed -i 's/    y = osw_output/    usleep(400000);\n&/; 1i #include <unistd.h>' "$TMP/ops/scale/scale_plain.c"

# goes_on WORDS...: cut off, and started again by the same words
goes_on() {
    cut_off "$@"
    expect_exit 0 "$OPSWEEP" run "$@" --resume-if-there
    expect_err 'resume: [0-9]+ of 2 cells are left, session 2'
    [ -s "$file" ] || fail "no '$file'"
    rm "$file"
}

cd "$TMP"
file=run.h5
goes_on "${campaign[@]}" -orun.h5
goes_on "${campaign[@]}" -o run.h5
goes_on "${campaign[@]}" --output=run.h5
goes_on "${campaign[@]}" --output run.h5
file=$TMP/json.h5
goes_on campaign.json
file=run.h5
goes_on campaign.json -o run.h5
file=named.h5
export OPSWEEP_OUTPUT=named.h5
goes_on "${campaign[@]}"

# The file that --force replaces is not taken for the run's own.
file=run.h5
printf '\x89HDF old' >run.h5
expect_exit 0 "$OPSWEEP" run "${campaign[@]}" --force -o run.h5 --resume-if-there
expect_no_grep 'resume' "$TMP/err"
goes_on "${campaign[@]}" --force -o run.h5

# Nothing is there: a first start.
expect_exit 0 "$OPSWEEP" run "${campaign[@]}" -o new.h5 --resume-if-there
