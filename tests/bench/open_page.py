"""tests/bench/open_page.py PAGE - how long a large report takes in a browser

Each figure is the median of five, smallest and largest follow: loaded and
drawn from nothing; then a filter, a search and a sort, until the frame after
it is on the screen.  Run by bench_html with tests/shell in PYTHONPATH.
"""
import statistics, sys

import browser

# Until the second frame: the first one may have been begun before.
STEP = """new Promise(done => { const t0 = performance.now(); %s;
    requestAnimationFrame(() => requestAnimationFrame(
        () => done(performance.now() - t0))); })"""
FILTER = "{ const f = document.getElementById('f-state'); f.value = '%s';" \
    " f.dispatchEvent(new Event('input', {bubbles: true})); }"
SEARCH = "{ const q = document.getElementById('q'); q.value = '%s';" \
    " q.dispatchEvent(new Event('input', {bubbles: true})); }"
SORT = "document.querySelectorAll('#table th button')[%d].click()"


def figures(name, seconds):
    print("%-28s %.2f s (%.2f .. %.2f)" % (
        name, statistics.median(seconds), min(seconds), max(seconds)))


def step(b, action):
    return b.run(STEP % action) / 1e3


if not browser.find():
    print("no Chromium in PATH: the page was not opened")
    sys.exit(0)
opened, first = [], []
steps = {"filter": [], "search": [], "sort by number": [], "sort by text": []}
for _ in range(5):
    with browser.Browser(timeout=120) as b:
        seconds = b.open(sys.argv[1]) + step(b, "0")
        opened.append(seconds)
        filtered = step(b, FILTER % "fail")
        first.append(seconds + filtered)
        steps["filter"].append(filtered)
        b.run(FILTER % "")
        steps["search"].append(step(b, SEARCH % "mm 1024 f16"))
        b.run(SEARCH % "")
        steps["sort by number"].append(step(b, SORT % 6))
        steps["sort by text"].append(step(b, SORT % 3))
        assert not b.errors, b.errors
        assert all(u.startswith(("file://", "about:")) for u in b.requests), b.requests
        count = b.run("document.getElementById('count').textContent")
figures("opened", opened)
figures("opened and filtered", first)
for name, seconds in steps.items():
    figures(name, seconds)
print(count)
