"""opcheck.py FILE...: in what `opsweep check` printed, the sub-test that a file
of tests/fixtures/check is named for FAILED, and of files named ok none did.
"""
import re
import sys

rows = {}
for path in sys.argv[1:]:
    for line in open(path):
        m = re.match(r"(ok|FAILED|skipped) +(\S+) +(\w+): (.*)", line)
        if m:
            rows[m[2], m[3]] = m[1], m[4]
files = sorted({f for f, _ in rows})
TESTS = ("schema", "meta", "shapes", "capture", "prepare")
for file in files:
    failed = {t for t in TESTS if rows[file, t][0] == "FAILED"}
    name = re.sub(r"^(scale|add_)_", "", file).split(".")[0].split("__")[0]
    want = set() if name in ("ok", "reference") else {name}
    print(file, "failed:", *sorted(failed))
    # What crashes in finish does so wherever a case follows another.
    assert failed == want or (file == "scale_prepare__twice_freed.c" and
                              failed == {"prepare", "shapes"}), (file, rows)
    for test in TESTS:
        state, text = rows[file, test]
        assert text, (file, test)  # a reason, always
assert len(files) >= 4, files
