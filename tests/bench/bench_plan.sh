#!/bin/bash
# tests/bench/bench_plan.sh - memory and time of planning many cases
#
# relu on CASES (1,000,000) shapes, by 1 and by 4 implementations: bytes a cell
# are those beyond the plan of a single case.  IMPLS="1 4"
set -eu -o pipefail
cd "$(dirname "$0")/../.."
command -v /usr/bin/time >/dev/null || { echo "needs /usr/bin/time"; exit 77; }
tmp=$(mktemp -d "${TMPDIR:-/tmp}/opsweep-plan.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

make_root() { # FOLDER CASES IMPLS
    mkdir -p "$1/relu"
    cp -r ops/library/shared "$1"
    cp ops/library/relu/relu_reference.c "$1/relu"
    for i in $(seq "$3"); do
        cp ops/library/relu/relu_plain.c "$1/relu/relu_copy$i.c"
    done
    python3 - "$2" >"$1/relu/gen_input.json" <<'PY'
import json
import sys

wide = min(1000, int(sys.argv[1]))
print(json.dumps({"correctness": [{
    "case": "((T([{a}, {b}], f32),), {})",
    "for": {"a": list(range(1, wide + 1)),
            "b": list(range(1, int(sys.argv[1]) // wide + 1))}}]}))
PY
}

measure() { # FOLDER: seconds and KiB
    /usr/bin/time -o "$tmp/used" -f "%e %M" \
        ./opsweep plan --custom-ops-root "$1" --max-bytes 4G >/dev/null
    cat "$tmp/used"
}

n=${CASES:-1000000}
for impls in ${IMPLS:-1 4}; do
    make_root "$tmp/one$impls" 1 "$impls"
    make_root "$tmp/all$impls" "$n" "$impls"
    read -r _ least < <(measure "$tmp/one$impls")
    read -r seconds most < <(measure "$tmp/all$impls")
    echo "plan of $n cases, $impls a case: $seconds s, peak $((most / 1024)) MiB," \
        "$(((most - least) * 1024 / (n * impls))) bytes a cell"
done
