# tests/shell/test_getting_started.sh - the blocks of the pages for beginners
# run as they stand, and print what the pages show
#
# runs alone: it says which of two kernels is faster
# takes 15 s

. tests/shell/pages.sh

pages docs/GET_STARTED.md docs/REGRESSIONS.md
expect_exit 1 "$OPSWEEP" history "$TMP/work/nightly" --known "$TMP/work/known.json"
expect_out "^known: entry 2, 'n17\*'"
pages docs/OPS.md
