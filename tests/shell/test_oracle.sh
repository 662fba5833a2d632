# An implementation that stands in for a missing reference, and dies of a later
# case: the judge goes on, every cell has its record, and no worker is lost.
# Memory that was freed is overwritten, so that reading it shows.

for profile in correct smoke; do
    expect_exit 1 env MALLOC_PERTURB_=85 "$OPSWEEP" run --suite custom_ops \
        --custom-ops-root tests/fixtures/oracle -n 1 --profile $profile \
        --timeout 1 --seed 1 --keep-going -o "$TMP/$profile.h5"
    "$OPSWEEP" report --fail-on none "$TMP/$profile.h5" --format csv \
        >"$TMP/$profile.csv"
    python3 - "$TMP/$profile.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
found = sorted((r["case"], r["impl"], r["status"]) for r in rows)
assert len(found) == 6, found
for case, impl, status in found:
    dies = impl == "a" and "[100]" not in case
    assert status == ("crash" if dies else "unverified"), (case, impl, status)
PY
done
