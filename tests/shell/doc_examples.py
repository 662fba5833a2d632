"""doc_examples.py DOC.md... - run the examples of a page, in its order

Blocks ```python share their names, as in one session; blocks ```sh are run by
bash.  Without pandas those that need it are left out (the names that other
blocks made of it included), and counted.
"""
import re
import subprocess
import sys


def has(module):
    try:
        __import__(module)
        return True
    except ImportError:
        return False


missing = [m for m in ("pandas", "pyarrow") if not has(m)]


def needs(kind, text):
    """The module that a block cannot do without, or None."""
    if "parquet" in text:
        return "pyarrow" if kind == "sh" else "pandas, pyarrow"
    if kind == "python" and re.search(r"\b(pd|df|timed|load)\b", text):
        return "pandas"
    return None


ran = left = 0
for path in sys.argv[1:]:
    page = open(path).read()
    names = {}
    for m in re.finditer(r"^```(python|sh)\n(.*?)^```$", page, re.S | re.M):
        kind, text = m.groups()
        line = page[:m.start()].count("\n") + 2
        want = needs(kind, text)
        if want and any(m in want for m in missing):
            left += 1
            continue
        print("--- %s:%d" % (path, line), flush=True)
        if kind == "sh":
            subprocess.run(["bash", "-euc", text], check=True)
        else:
            code = compile("\n" * (line - 1) + text, path, "exec")
            exec(code, names)
        ran += 1
print("%d examples ran" % ran)
if left:
    print("%d left out: no %s" % (left, ", no ".join(missing)))
if ran == 0:
    sys.exit("no example in %s" % sys.argv[1:])
