# tests/shell/pages.sh - read in by tests that run the blocks of the docs

# As a reader would: in a new folder, opsweep in PATH.
mkdir "$TMP/bin"
ln -s "$OPSWEEP" "$TMP/bin/opsweep"
python=$(python_with pandas) || python=python3
OPSWEEP_PYTHON=$(python_with numpy) || unset OPSWEEP_PYTHON
[ -z "${OPSWEEP_PYTHON:-}" ] || export OPSWEEP_PYTHON
examples() {
    (cd "$TMP/work" && PATH=$TMP/bin:$PATH \
        "$python" "$OLDPWD/tests/shell/doc_page.py" "$@")
}

# pages NAME...: one after the other in a folder.  On a busy machine times of
# single cells are left out: then all of it once more.
pages() {
    while_busy 'not judged|PMIX|undecided|too busy|to be sure' "$TMP/err" \
        read_pages "$@" && return 0
    cat "$TMP/out" "$TMP/err"
    fail "$*"
}
read_pages() {
    local page
    rm -rf "$TMP/work"
    mkdir "$TMP/work"
    for page in "$@"; do
        examples "$PWD/$page" >"$TMP/out" 2>"$TMP/err" || return
        cat "$TMP/out"
    done
    : >"$TMP/err" # nothing is missing, whatever was said
}
