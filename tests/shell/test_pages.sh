# tests/shell/test_pages.sh - the blocks of pages that compare no kernels run as they
# stand, and print what the pages show
#
# takes 10 s

. tests/shell/pages.sh

pages docs/GENERATE.md
OPSWEEP_PYTHON=$(python_with torch || echo "${OPSWEEP_PYTHON:-}") pages docs/EXPORT.md
pages README.md
