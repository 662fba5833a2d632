# tests/shell/test_doc_links.sh - links between the pages lead somewhere

python3 tests/shell/doc_links.py README.md CHANGELOG.md docs/*.md docs/lab/*.md

printf '# A page\n\n[no](#there), [none](none.md), [yes](#a-page)\n' >"$TMP/bad.md"
expect_exit 1 python3 tests/shell/doc_links.py "$TMP/bad.md"
expect_out "no heading for '#there'"
expect_out "no file 'none.md'"
expect_no_grep 'a-page' "$TMP/out"
