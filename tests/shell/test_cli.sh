# tests/shell/test_cli.sh - the face of the program: help, version, typos

expect_exit 0 "$OPSWEEP" --version
expect_out '^opsweep [0-9]+\.[0-9]+\.[0-9]+$'

expect_exit 0 "$OPSWEEP" --help
commands=$(sed -n 's/^  \([a-z]*\)  .*/\1/p' "$TMP/out")
expect_equal 'list plan run report show check parse doctor recover journal compare history repeat merge export' "$(echo $commands)" commands

# Every command explains itself, and refuses what it does not know.
for command in $commands; do
    expect_exit 0 "$OPSWEEP" "$command" --help
    expect_out "^usage: opsweep $command \[options\]"
    expect_out '^  -h, --help '
    options=$(sed -n '/^options:/,$s/.* --\([a-z][a-z0-9-]*\).*/\1/p' "$TMP/out")
    [ -n "$options" ] || fail "no options of $command"
    for option in $options; do
        typo=${option:0:1}x${option:1}
        expect_exit 2 "$OPSWEEP" "$command" "--$typo"
        expect_err "unknown option '--$typo' \(did you mean '--$option'\?\)"
    done
done

expect_exit 2 "$OPSWEEP"
expect_err '^usage: opsweep COMMAND'
expect_exit 2 "$OPSWEEP" reprot
expect_err "^opsweep: unknown command 'reprot' \(did you mean 'report'\?\)$"
expect_exit 2 "$OPSWEEP" run --max-bytes 4Q
expect_err "option '--max-bytes': expected a size such as"

# A typo does not bring a node down.
expect_exit 2 "$OPSWEEP" run -n 1000000 --ops relu
expect_err "option '--ranks': expected at most [0-9]+ on the [0-9]+ cores of this node, found 1000000"

# An op's own folder is no root, and the message says what one holds.
expect_exit 3 "$OPSWEEP" run -n 1 --custom-ops-root ops/library/relu
expect_err "'ops/library/relu' has no op, expected folders <op>/ with gen_input.json or gen_input.py"

# A campaign's keys are the options' names; the documented one is planned.
sed -n '/^## A campaign in a file/,/^## /s/^{.*/&/p' docs/OPS.md >"$TMP/campaign.json"
expect_exit 0 "$OPSWEEP" plan "$TMP/campaign.json"
expect_out '^aten\.mm\.default '
echo '{"fail_on": "none"}' >"$TMP/campaign.json"
expect_exit 2 "$OPSWEEP" run "$TMP/campaign.json"
expect_err "campaign\.json: key 'fail_on': unknown key"

# What cannot be written to is told, by name and exit code.
if [ -w /dev/full ]; then
    rc=0
    "$OPSWEEP" --help >/dev/full 2>"$TMP/err" || rc=$?
    expect_equal 5 "$rc" 'exit code on a full disk'
    expect_err 'cannot write to standard output'
fi
