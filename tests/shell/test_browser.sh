# tests/shell/test_browser.sh - the HTML report in a headless Chromium: shown,
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
python_h5 tests/shell/campaigns.py "$TMP/evil.h5" "$TMP/many" 8 tag=many slow=0-3:4:1.5
expect_exit 1 "$OPSWEEP" report "$TMP/many/many07.h5" "$TMP/many" --format html \
    -o "$TMP/many.html"
# one implementation beside the baseline
cp -r "$TMP/ops" "$TMP/beside"
cp "$TMP/beside/scale/scale_plain.c" "$TMP/beside/scale/scale_again.c"
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/beside" --profile smoke -n 1 \
    --baseline plain -o "$TMP/base.h5"
expect_exit 1 "$OPSWEEP" report "$TMP/base.h5" --format html -o "$TMP/base.html"
for row in 0 1 2 3; do
    "$OPSWEEP" show "$TMP/run.h5" $row | tail -n 1 >"$TMP/run.$row"
    "$OPSWEEP" show "$TMP/evil.h5" $row | tail -n 1 >"$TMP/evil.$row"
done
cat "$TMP"/run.? >"$TMP/commands"
expect_grep '^opsweep run .*--impls loud ' "$TMP/commands"

page - "$TMP" <<'PY'
import sys, time
from browser import Browser
tmp = sys.argv[1]
rows = "document.querySelectorAll('#table tbody tr').length"
count = "document.getElementById('count').textContent"
record = "document.getElementById('record')"
top = "document.getElementById('%s').getBoundingClientRect().top"


def own(b, path):
    return all(u.startswith("file://" + path) or u == "about:blank" for u in b.requests)


def typed(b, words):
    b.run("{ const q = document.getElementById('q'); q.value = %r;"
          " q.dispatchEvent(new Event('input', {bubbles: true})); }" % words)


with Browser() as b:
    for name in ("run", "evil"):
        path = "%s/%s.html" % (tmp, name)
        b.open(path)
        assert b.run(rows) == 4 and b.run(count) == "1 to 4 of 4 cells", b.run(count)
        assert b.run("document.querySelectorAll('img, iframe, object').length") == 0
        assert b.run("document.querySelectorAll('script').length") == 2
        # a cell's address: its record, and the command that `show` prints
        for href in b.run("[...document.querySelectorAll('#table tbody a')]"
                          ".map(a => a.getAttribute('href'))"):
            b.open(path, href)
            assert b.run(record + ".hidden") is False
            assert -5 < b.run(top % "record") < 800, b.run(top % "record")
            row = b.run("[...document.querySelectorAll('#record .columns div')].find("
                        "d => d.firstChild.textContent === 'row').lastChild.textContent")
            alone, show = b.run("[...document.querySelectorAll('#record pre[tabindex]')]"
                                ".map(e => e.textContent)")
            if name == "run":
                assert alone == open("%s/run.%s" % (tmp, row)).read().rstrip("\n"), alone
            assert show.startswith("opsweep show ") and href[6:] in show, show
        b.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
        time.sleep(0.2)
        assert b.run(record + ".hidden") is True
        b.open(path, "#cell=" + row)  # a row's number is an address, too
        assert href[6:] in b.run(record + ".textContent")
        b.open(path, "#cell=0x0123456789abcdef")
        assert "not in the page" in b.run(record + ".textContent")
        assert b.errors == [] and own(b, path), (b.errors, b.requests)

    path = tmp + "/many.html"
    b.open(path, "#history")
    assert b.run("document.querySelectorAll('#history figure .course').length") > 0
    assert b.run("document.querySelectorAll('img, iframe, object').length") == 0
    assert b.errors == [] and own(b, path), (b.errors, b.requests)

    path = tmp + "/run.html"
    b.open(path, "#state=error")
    assert b.run(rows) == 2 and b.run(count) == "1 to 2 of 2 cells"
    time.sleep(0.2)
    assert -5 < b.run(top % "cells") < 800, b.run(top % "cells")
    b.run("document.getElementById('controls').reset()")
    time.sleep(0.2)
    assert b.run(rows) == 4
    typed(b, "PLAIN 33")
    assert b.run(rows) == 1, b.run(rows)
    selection = b.run("location.hash")
    typed(b, "nothing like it")
    assert b.run(rows) == 0 and b.run(count) == "no cell matches"
    b.open(path, selection)  # what was chosen is in the address
    assert b.run(rows) == 1, selection

    b.open(path)
    head = "document.querySelectorAll('#table th button')[%d]"
    states = "[...document.querySelectorAll('#table .state')].map(e => e.textContent).join()"
    b.run(head % 0 + ".click()")
    assert b.run(states) == "pass,pass,returned,returned"
    b.run(head % 0 + ".click()")
    assert b.run("document.querySelector('#table th').getAttribute('aria-sort')") == "descending"
    assert b.run(states) == "returned,returned,pass,pass"
    b.run(head % 6 + ".click()")
    times = b.run("[...document.querySelectorAll('#table tbody tr')].map(r => r.cells[6].textContent)")
    assert times[0].endswith("s") and times[1:] == ["", "", ""], times

    # by keyboard alone: search, on to a cell, open it, close it
    b.open(path)
    b.key("/")
    assert b.run("document.activeElement.id") == "q"
    b.key("3"), b.key("3")
    assert b.run(rows) == 2 and b.run("location.hash") == "#q=33"
    for _ in range(40):
        b.key("Tab")
        if b.run("document.activeElement.classList.contains('state')"):
            break
    b.key("Enter")
    time.sleep(0.2)
    assert b.run(record + ".hidden") is False, b.run("document.activeElement.outerHTML")
    b.key("Escape")
    time.sleep(0.2)
    assert b.run(record + ".hidden") is True
    # every chart can be reached: its links are
    for chart in ("map", "roof"):
        assert b.run("document.querySelectorAll('#%s a[href]').length" % chart) > 0, chart

    colours = []
    for dark in (False, True):
        b.theme(dark)
        colours.append(b.run("getComputedStyle(document.body).backgroundColor"))
    assert colours[0] != colours[1], colours
    # on paper: light, without what only a screen can use, no wider than A4
    b.resize(720, 1000)
    b.theme(True, media="print")
    assert b.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert b.run("[...document.querySelectorAll('nav, #controls, footer')]"
                 ".every(e => getComputedStyle(e).display === 'none')")
    assert b.run("document.documentElement.scrollWidth") <= 740
    b.theme(False)
    b.resize(400, 800)
    assert b.run("document.documentElement.scrollWidth") <= 400
    # what is wider scrolls inside itself, and can be reached
    wide = b.run("[...document.querySelectorAll('#table, .plain.wide, .roofline')]"
                 ".filter(e => e.getBoundingClientRect().right > 400)"
                 ".every(e => e.closest('.scroll'))")
    assert wide is True
    # the window's width is used
    b.resize(1800, 1000)
    assert b.run("document.querySelector('#map').getBoundingClientRect().width") > 1650
    # counts are those of the header, everywhere
    b.open(tmp + "/base.html")
    head = b.run("[...document.querySelectorAll('.counts b')].map(e => +e.textContent)")
    assert head[0] == 6 == sum(head[1:]), head
    assert b.run(count).endswith("of 6 cells"), b.run(count)
    assert b.run("document.querySelectorAll('#map .tile').length") == 3
    assert b.run("[...document.querySelectorAll('#speed h3')].map(e => e.textContent).join()"
                 ) == "vs plain"
    assert b.run("document.querySelectorAll('#speed a.bar-row').length") == 1
    speeds = b.run("[...document.querySelectorAll('#table tbody tr')]"
                   ".map(r => r.cells[7].textContent).filter(s => s)")
    assert sum(s.endswith("x vs plain") for s in speeds) == 1, speeds
    assert speeds.count("the baseline") == 1, speeds
    assert b.errors == [] and own(b, tmp + "/base.html"), (b.errors, b.requests)
    b.open(path)
    assert b.errors == [] and own(b, path), (b.errors, b.requests)

    # charts and lists are there without the script
    b.call("Emulation.setScriptExecutionDisabled", value=True)
    b.open(path)
    b.call("Emulation.setScriptExecutionDisabled", value=False)
    assert b.run(rows) == 0, b.run(rows)
    assert b.run("document.querySelectorAll('#map .tile').length") == 2
    assert "script" in b.run("document.querySelector('noscript p').textContent")

    # these checks can fail
    b.open(path)
    b.run("fetch('file:///nowhere').catch(() => 0)")
    assert b.errors != [], "a request that the policy forbids was not noted"
    b.open(path)
    b.run("setTimeout(() => nothing.of.that.name, 0)")
    time.sleep(0.2)
    assert b.errors != [], "an exception was not noted"
print("opened, filtered, sorted; no error, no request")
PY
