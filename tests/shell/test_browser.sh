# tests/shell/test_browser.sh - the HTML report in a headless Chromium: drawn,
# filtered, sorted, by keyboard, without an error and without a request

page() { PYTHONPATH=tests/shell python3 -B "$@"; }
page -c 'import browser, sys; sys.exit(not browser.find())' ||
    skip 'no Chromium in PATH: no report was opened in a browser'

. tests/shell/strange_words.sh
make_strange_files
for name in run evil; do
    expect_exit 1 "$OPSWEEP" report "$TMP/$name.h5" --format html \
        -o "$TMP/$name.html"
done
page - "$TMP" <<'PY'
import sys, time
from browser import Browser
tmp = sys.argv[1]
rows = "document.querySelectorAll('#table tbody tr').length"
count = "document.getElementById('count').textContent"
with Browser() as b:
    for name in ("run", "evil"):
        path = "%s/%s.html" % (tmp, name)
        b.open(path)
        assert b.run(rows) == 4 and b.run(count) == "1 to 4 of 4 cells", b.run(count)
        assert b.run("document.querySelectorAll('img, iframe, object').length") == 0
        assert b.run("document.querySelectorAll('script').length") == 2
        key = b.run("document.querySelector('#table tbody a').getAttribute('href')")
        b.open(path, key)
        assert b.run("document.getElementById('record').hidden") is False
        assert "opsweep show" in b.run("document.getElementById('record').textContent")
        b.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
        time.sleep(0.2)
        assert b.run("document.getElementById('record').hidden") is True
        assert b.errors == [], b.errors
        assert b.requests in ([], ["file://" + path], ["file://" + path + key]), b.requests
    path = tmp + "/run.html"
    b.open(path, "#state=error")
    assert b.run(rows) == 2 and b.run(count) == "1 to 2 of 2 cells"
    b.run("document.getElementById('controls').reset()")
    time.sleep(0.2)
    assert b.run(rows) == 4
    b.run("{ const q = document.getElementById('q'); q.value = 'PLAIN 33';"
          " q.dispatchEvent(new Event('input', {bubbles: true})); }")
    assert b.run(rows) == 1, b.run(rows)
    b.run("{ const q = document.getElementById('q'); q.value = 'nothing like it';"
          " q.dispatchEvent(new Event('input', {bubbles: true})); }")
    assert b.run(rows) == 0 and b.run(count) == "no cell matches"
    b.open(path)
    head = "document.querySelectorAll('#table th button')[0]"
    b.run(head + ".click()")
    b.run(head + ".click()")
    assert b.run("document.querySelector('#table th').getAttribute('aria-sort')") == "descending"
    assert b.run("[...document.querySelectorAll('#table .state')].map(e => e.textContent).join()") \
        == "returned,returned,pass,pass"
    colours = []
    for dark in (False, True):
        b.theme(dark)
        colours.append(b.run("getComputedStyle(document.body).backgroundColor"))
    assert colours[0] != colours[1], colours
    assert b.errors == [] and b.requests in ([], ["file://" + path]), (b.errors, b.requests)
    # these checks can fail
    b.run("fetch('file:///nowhere').catch(() => 0)")
    assert b.errors != [], "a request that the policy forbids was not noted"
print("opened, filtered, sorted; no error, no request")
PY
