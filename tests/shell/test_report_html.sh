# tests/shell/test_report_html.sh - the HTML report: well formed, without
# requests, and with the contents of the file (test_browser.sh opens it)

. tests/shell/strange_words.sh
make_strange_files
expect_exit 1 "$OPSWEEP" report "$file" --format html -o "$TMP/run.html"
expect_exit 1 "$OPSWEEP" report "$file" --format json -o "$TMP/run.json"
expect_no_file "$TMP"/run.html.tmp.*

page() { PYTHONPATH=tests/shell python3 -B "$@"; }
page tests/shell/html_page.py "$TMP/run.html" \
    "</script><script>alert(1)</script> "$'\x01'" <!-- & \"x\""$'\n'

# every op with every implementation is a tile, the last op's too
expect_equal 2 "$(grep -o '<a class="tile' "$TMP/run.html" | wc -l)" tiles

# --- the cells are those of the JSON report ------------------------------------
page - "$TMP/run.html" "$TMP/run.json" <<'PY'
import json, sys
import html_page
page, report = html_page.read(sys.argv[1]), json.load(open(sys.argv[2]))
cells = {int(r): i for i, r in enumerate(page.cells["row"])}
assert len(cells) == len(report["cells"]) == 4
for want in report["cells"]:
    i = cells[want["row"]]
    assert "0x" + page.cells["cell_key"][i] == want["cell_key"]
    for k in ("op", "impl", "case", "status", "reason", "dtype", "phase"):
        assert page.cells[k + "_id"][i] == want[k], (k, want)
    for k in ("speedup", "t_median_ns", "max_rel_err", "err_of_allowed", "wall_ns", "n_elem"):
        got = page.cells.get(k, [""] * 4)[i]
        if want[k] is None:
            assert got == "", (k, got)
        else:
            assert abs(float(got) - want[k]) <= 6e-4 * abs(want[k]), (k, got, want[k])
failed_first = [(s, page.data["groups"][s]) for s in page.cells["status_id"]]
assert [group for _, group in failed_first] == [2, 2, 0, 0], (
    failed_first, [(c["impl"], c["status"], c["reason"]) for c in report["cells"]])
words = " ".join(" ".join(page.words).split())
assert "4 cells planned" in words and "2 pass 50.0 % of planned" in words, words[:400]
PY

# --- names that want to be markup, from a file of another author ---------
expect_exit 1 "$OPSWEEP" report "$evil_file" --format html -o "$TMP/evil.html"
page tests/shell/html_page.py "$TMP/evil.html" "${evil}op1" "${evil}impl1" \
    "${evil}case1" "${evil}reason1 "$'\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd' "${evil}output1" "${evil}host1"
# the check sees what got through
sed 's/<h2 id="h-map">/&<img src=x>/' "$TMP/evil.html" >"$TMP/through.html"
! page tests/shell/html_page.py "$TMP/through.html" 2>/dev/null ||
    fail 'an element that got through was not seen'

# --- without names ----------------------------------------------------------------
expect_exit 1 "$OPSWEEP" report "$file" --format html --anonymize -o "$TMP/anon.html"
expect_no_grep "$TMP|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}" "$TMP/anon.html"
# ... nor in what a merged file tells of its runs
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile smoke -n 1 \
    --case '((T([7], f32), 3.0), {})' --ops scale --seed 5 -o "$TMP/more.h5"
expect_exit 0 "$OPSWEEP" merge "$TMP/both.h5" "$file" "$TMP/more.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/both.h5" --format html -o "$TMP/both.html"
expect_grep "$TMP/ops.*--seed 5" <(tr -d '\n' <"$TMP/both.html")
expect_exit 1 "$OPSWEEP" report "$TMP/both.h5" --format html --anonymize -o "$TMP/anon.html"
expect_no_grep "$TMP|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}" "$TMP/anon.html"
page tests/shell/html_page.py "$TMP/anon.html"

# --- more campaigns: lines, and what changed -------------------------------------
for name in run evil; do
    python_h5 tests/shell/campaigns.py "$TMP/$name.h5" "$TMP/many-$name" 8 \
        tag=$name slow=0-3:4:1.5
    expect_exit 1 "$OPSWEEP" report "$TMP/many-$name/${name}07.h5" "$TMP/many-$name" \
        --format html -o "$TMP/many.html"
    page tests/shell/html_page.py "$TMP/many.html"
    expect_grep '<section id="history"' "$TMP/many.html"
    expect_grep '8 campaigns' "$TMP/many.html"
    expect_grep '<tr><td title="slower from a campaign on">regressed</td>' "$TMP/many.html"
    expect_grep '<b>regressed</b> \+50\.[0-9] %' "$TMP/many.html"
    expect_grep 'class="since"' "$TMP/many.html"
    expect_grep '[+-][0-9.]+ % <small>.[+-][0-9.]+, [+-][0-9.]+.</small>' "$TMP/many.html"
done
expect_no_grep 'id="history"' "$TMP/run.html"
expect_exit 2 "$OPSWEEP" report "$file" "$TMP/more.h5"
expect_err "format 'text' takes one file, found 2; several: --format html$"
expect_exit 2 "$OPSWEEP" report "$file" "$TMP/more.h5" --format html --anonymize
expect_err "'--anonymize' takes one file, found 2"
expect_exit 2 "$OPSWEEP" report "$file" "$TMP/nothing.h5" --format html -o "$TMP/no.html"
expect_err 'nothing\.h5'
expect_no_file "$TMP/no.html"
