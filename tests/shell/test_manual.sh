# tests/shell/test_manual.sh - man pages, completion and docs/CLI.md say what
# --help says

expect_exit 0 "$OPSWEEP" --help
commands=$(sed -n 's/^  \([a-z-]*\)  .*/\1/p' "$TMP/out")
mkdir "$TMP/man"

# render FILE: as a terminal shows it, without warnings; to $TMP/page
render() {
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww "$1" 2>"$TMP/warnings" | sed 's/.\x08//g; s/\x1b\[[0-9;]*m//g' >"$TMP/page"
    else
        mandoc -T utf8 -W warning "$1" 2>"$TMP/warnings" | sed 's/.\x08//g' >"$TMP/page"
    fi
    expect_equal '' "$(cat "$TMP/warnings")" "warnings on $1"
}

# --- man pages ----------------------------------------------------------------
for command in $commands; do
    "$OPSWEEP" --man "$command" >"$TMP/man/opsweep-$command.1"
done
"$OPSWEEP" --man >"$TMP/man/opsweep.1"
if command -v groff >/dev/null || command -v mandoc >/dev/null; then
    for command in $commands; do
        render "$TMP/man/opsweep-$command.1"
        expect_grep "^ +opsweep.$command " "$TMP/page"
        "$OPSWEEP" "$command" --help-all | grep -oE '^ +(-[a-zA-Z], )?--[a-z0-9-]+' |
            sed 's/.*--/--/' >"$TMP/options"
        while read -r option; do
            grep -qF -- "$option" <(sed 's/[‐−]/-/g' "$TMP/page") ||
                fail "opsweep-$command(1) has no $option"
        done <"$TMP/options"
    done
    render "$TMP/man/opsweep.1"
    for command in $commands; do
        grep -qF "opsweep-$command(1)" <(sed 's/[‐−]/-/g' "$TMP/page") ||
            fail "opsweep(1) has no $command"
    done
else
    echo 'man pages are not rendered: no groff, no mandoc'
fi
expect_exit 2 "$OPSWEEP" --man rnu
expect_err "unknown command 'rnu' \(did you mean 'run'\?\)"

# --- completion ---------------------------------------------------------------
"$OPSWEEP" --completion bash >"$TMP/opsweep.bash"
expect_exit 0 bash -n "$TMP/opsweep.bash"

# complete LINE: what <TAB> after it offers, sorted
complete_line() {
    bash -c '. "$1"
        read -ra COMP_WORDS <<<"${2//=/ = }"
        [[ $2 != *" " ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        complete -p opsweep | grep -q -- "-F _opsweep" || exit 1
        _opsweep
        printf "%s\n" "${COMPREPLY[@]}" | sort' - "$TMP/opsweep.bash" "$1" | xargs
}
expect_equal 'repeat report run' "$(complete_line 'opsweep r')" 'opsweep r<TAB>'
expect_equal '--suite' "$(complete_line 'opsweep run --su')" 'options'
expect_equal '--heartbeat' "$(complete_line 'opsweep run --hea')" 'options for experts'
expect_equal '--topn-inputs' "$(complete_line 'opsweep run --topn')" 'other names of options'
for command in $commands; do
    "$OPSWEEP" "$command" --help-all >"$TMP/help"
    expect_equal "$(grep -oE '^ +(-[a-zA-Z], )?--[a-z0-9-]+|also --[a-z0-9-]+' "$TMP/help" | sed 's/.*--/--/' | sort -u | xargs)" \
        "$(complete_line "opsweep $command --")" "options of $command"
done
expect_equal 'custom_ops opinfo smoke traces' "$(complete_line 'opsweep run --suite ')" 'words'
expect_equal 'json junit' "$(complete_line 'opsweep report -f j')" 'words after a letter'
expect_equal 'csv' "$(complete_line 'opsweep export --format=c')" 'words after ='
expect_equal 'dump recover tail verify' "$(complete_line 'opsweep journal ')" verbs
expect_equal '' "$(complete_line 'opsweep report ')" 'files are left to the shell'
for command in $commands; do
    expect_equal "$command" "$(complete_line "opsweep $command" | tr ' ' '\n' | grep -x "$command")" "opsweep $command<TAB>"
done

"$OPSWEEP" --completion zsh >"$TMP/_opsweep"
expect_grep '^#compdef opsweep$' "$TMP/_opsweep"
if command -v zsh >/dev/null; then
    expect_exit 0 zsh -n "$TMP/_opsweep"
else
    echo 'completion of zsh is not read: no zsh'
fi
expect_exit 2 "$OPSWEEP" --completion fish
expect_err "expected bash or zsh, found 'fish'"

# --- docs/CLI.md --------------------------------------------------------------
# UPDATE_GOLDEN=1 writes it.
{
    echo '# Commands and options'
    echo
    echo 'What `opsweep --help-all` prints; a test compares the two.'
    echo
    echo '```text'
    "$OPSWEEP" --help
    echo '```'
    for command in $commands; do
        printf '\n## opsweep %s\n\n```text\n' "$command"
        "$OPSWEEP" "$command" --help-all
        echo '```'
    done
} >"$TMP/CLI.md"
[ -z "${UPDATE_GOLDEN:-}" ] || cp "$TMP/CLI.md" docs/CLI.md
expect_same_file docs/CLI.md "$TMP/CLI.md"
expect_exit 0 "$OPSWEEP" --help-all
for command in $commands; do
    expect_out "^usage: opsweep $command "
done
