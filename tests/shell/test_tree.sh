# The checks of the tree's shape refuse what they should, and nothing else.

mkdir -p "$TMP/tree/ops/low" "$TMP/tree/ops/high" "$TMP/tree/tests"
check() { # NAME: what it prints goes to $TMP/said
    (cd "$TMP/tree" && python3 "$ROOT/.ci/tree.py" "$1") >"$TMP/said"
}
ROOT=$PWD
cd "$TMP/tree"

# One way is no circle; a source and its header are one.
echo '#include "ops/low/a.h"' >ops/low/a.c
touch ops/low/a.h
printf '#include "ops/high/b.h"\n#include "ops/low/a.h"\n' >ops/high/b.c
touch ops/high/b.h
check circles
expect_equal '' "$(cat "$TMP/said")" 'without a circle'

# Through two sources, in one folder and in two.
echo '#include "ops/low/a.h"' >ops/low/c.h
echo '#include "ops/low/c.h"' >>ops/low/a.c
check circles
expect_equal 'these units include each other in a circle: ops/low/a ops/low/c' \
    "$(cat "$TMP/said")" 'a circle of units'
rm ops/low/c.h
sed -i '$d' ops/low/a.c
echo '#include "ops/high/b.h"' >ops/low/d.c
check circles
expect_equal 'these folders include each other in a circle: ops/high ops/low' \
    "$(cat "$TMP/said")" 'a circle of folders'
rm ops/low/d.c

for i in $(seq 42); do touch ops/low/f$i.c; done
check folders
expect_equal '' "$(grep ops "$TMP/said" || true)" '44 files'
touch ops/low/f43.c ops/low/f44.c
check folders
expect_equal 'ops/low: 46 files, expected 45 at most: move some to a folder of their own' \
    "$(cat "$TMP/said")" '46 files'

seq 600 >ops/high/long.c
check lengths
expect_equal '' "$(grep ops "$TMP/said" || true)" '600 lines'
seq 601 >ops/high/long.c
check lengths
expect_equal 'ops/high/long.c: 601 lines, expected 600 at most' \
    "$(cat "$TMP/said")" '601 lines'

# The page's table of folders is what they include.
mkdir -p docs ops/mid
printf '#include "ops/low/a.h"\n#include "ops/mid/m.h"\n' >ops/high/b.c
touch ops/mid/m.h
printf '%s\n' '| folder | includes |' '|---|---|' '| `ops/low`, `ops/mid` | - |' '| `ops/high` | `low`, `mid` |' \
    >docs/ARCHITECTURE.md
rm -f ops/high/long.c
check order
expect_equal '' "$(cat "$TMP/said")" 'a table that is true'
sed -i 's/`low`, `mid` |$/`low` |/' docs/ARCHITECTURE.md
check order
expect_equal 'ops/high includes ops/mid, expected only what its row in docs/ARCHITECTURE.md names' \
    "$(cat "$TMP/said")" 'a folder that no row allows'
sed -i 's/| `low` |$/| all of them |/; s/| - |$/| `high` |/' docs/ARCHITECTURE.md
check order
expect_equal 'ops/low does not include ops/high, which its row in docs/ARCHITECTURE.md names
ops/mid does not include ops/high, which its row in docs/ARCHITECTURE.md names' \
    "$(cat "$TMP/said")" 'a row that nothing needs'
