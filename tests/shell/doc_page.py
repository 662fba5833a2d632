"""doc_page.py PAGE.md [--states] - run a page's blocks in the current folder

```LANG file=PATH   is written to PATH
```sh, ```python   is run; (the last command of) it exits 0, or as exit=N says
```text            after such a block is what it prints, or a part of that

Blocks with needs=gpu, needs=pandas, needs=numpy and needs=torch (OPSWEEP_PYTHON
has it) are left out where there is none, and named; skip=REASON leaves out a block
everywhere (- stands for a blank).  Output is compared word by word, `...` stands for any words; order=any
compares lines in any order.  Numbers, units of time and size, keys and hashes
may differ, and progress on standard error is not looked at.

--states: below a heading `### `STATE``, STATE.h5 must hold cells that all ended
in that state.  A heading without such a block has to say why:
<!-- no example: REASON -->.
"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys

FENCE = re.compile(r"^```(.*)$")
STATE = re.compile(r"^### `([a-z]+)`")
NO_EXAMPLE = re.compile(r"^<!-- no example: (.*) -->$")


def blocks(lines):
    """(line number, kind, text): headings, comments and fenced blocks."""
    i = 0
    while i < len(lines):
        m = FENCE.match(lines[i])
        if not m:
            for kind, pattern in (("state", STATE), ("none", NO_EXAMPLE)):
                found = pattern.match(lines[i])
                if found:
                    yield i + 1, kind, {}, found.group(1)
            if lines[i].startswith("## "):
                yield i + 1, "state", {}, None
            i += 1
            continue
        words = m.group(1).split()
        keys = dict(w.split("=", 1) for w in words[1:])
        end = lines.index("```", i + 1)
        yield i + 1, words[0] if words else "text", keys, "\n".join(
            lines[i + 1:end]) + "\n"
        i = end + 1


def general(text):
    """The text without what differs from run to run, and without its lines."""
    text = re.sub(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{16}\b", "KEY", text)
    text = re.sub(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z", "DATE", text)
    text = re.sub(r"[-<>]?\b[0-9]+([.,][0-9]+)*(e[-+]?[0-9]+)?", "N", text)
    text = re.sub(r"\bN (ns|us|ms|s)\b", "N TIME", text)
    text = re.sub(r"\bN ([KMG]i)?B\b", "N SIZE", text)
    text = re.sub(r"\bN call\b", "N calls", text)  # of a timed sample
    return " ".join(text.replace("-nan", "nan").split())


def missing(want, got, any_order):
    """The first part of `want`, between `...`, that `got` does not have in its
    order, or None."""
    got, at = general(got), 0
    for part in re.split(r"\.\.\.|\n" if any_order else r"\.\.\.", want):
        part = general(part)
        found = got.find(part, at)
        if found < 0:
            return part
        at = 0 if any_order else found + len(part)
    return None


def has(python, *modules):
    """They are looked for, not imported: torch takes a second."""
    find = "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, sys.argv[1:])))"
    return bool(python) and subprocess.run([python, "-c", find, *modules]).returncode == 0


def states_of(path):
    text = subprocess.run(["opsweep", "export", "--format", "csv", path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return {row["status"] for row in csv.DictReader(io.StringIO(text))}


def run(kind, text):
    program = (["bash", "-uc"] if kind == "sh" else [sys.executable, "-c"])
    return subprocess.run(program + [text], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)


def main(page, check_states):
    have = {"gpu": os.path.exists("/dev/nvidia0") and shutil.which("nvcc"),
            "numpy": os.environ.get("OPSWEEP_PYTHON"),
            "torch": has(os.environ.get("OPSWEEP_PYTHON"), "torch"),
            "pandas": has(sys.executable, "h5py", "pandas")}
    out = state = None
    shown = set()
    asked = []
    n = 0
    for line, kind, keys, text in blocks(open(page).read().split("\n")):
        where = "%s:%d" % (os.path.basename(page), line)
        if kind == "state":
            state = text
            if state:
                asked.append((state, where))
            continue
        if kind == "none":
            print("left out: %s: %s" % (state, text))
            shown.add(state)
            continue
        need = keys.get("needs")
        if need and not have[need] or "skip" in keys:
            if kind in ("sh", "python"):
                reason = ("needs " + need if need else
                          keys["skip"].replace("-", " "))
                print("left out: %s: %s" % (state or where, reason))
                shown.add(state)
                out = None
            continue
        if "file" in keys:
            if os.path.dirname(keys["file"]):
                os.makedirs(os.path.dirname(keys["file"]), exist_ok=True)
            with open(keys["file"], "w") as f:
                f.write(text)
        elif kind in ("sh", "python"):
            n += 1
            for tried in range(1, 10):  # on a busy machine: another state
                done = run(kind, text)
                out = done.stdout
                found = (states_of(state + ".h5") if check_states and state
                         else {state})
                if found == {state} or tried > 2 and found != {"skipped"}:
                    break
            if done.returncode != int(keys.get("exit", 0)):
                sys.exit("%s: exit %d, expected %s\n%s%s" % (
                    where, done.returncode, keys.get("exit", 0), out,
                    done.stderr))
            if found != {state}:
                sys.exit("%s: expected %s, found %s\n%s%s" % (
                    where, state, found, out, done.stderr))
            if check_states and state:
                shown.add(state)
                print("%s: %s" % (where, state))
        elif kind == "text" and out is not None:
            lost = missing(text, out, keys.get("order") == "any")
            if lost:
                sys.exit("%s: not printed: %s\n--- printed\n%s" % (
                    where, lost, out))
            out = None
        else:
            out = None
    if check_states:
        for name, where in asked:
            if name not in shown:
                sys.exit("%s: no example, and no reason" % where)
    print("%d blocks ran" % n)


main(sys.argv[1], "--states" in sys.argv[2:])
