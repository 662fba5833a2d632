# tests/bench/unseen/table.py - how much of each recorded model the library has
#
#     python3 table.py BUILD/opsweep FOLDER [OPTION...]
#
# prints Markdown, a row for each trace of FOLDER and a sum of all; options are
# those of `opsweep list`.
import json
import os
import subprocess
import sys

opsweep, folder, options = sys.argv[1], sys.argv[2], sys.argv[3:]


def ask(path):
    return json.loads(subprocess.run(
        [opsweep, "list", "--coverage", "--json", "--traces", path] + options,
        check=True, stdout=subprocess.PIPE).stdout)


def row(name, found):
    total = found["total"]
    n = total["all"]["cases"]
    missing = [(o["name"].replace("aten.", "").replace(".default", ""),
                o["all"]["cases"] - o["native_cpu"]["cases"])
               for o in found["operators"]]
    share = ["%d (%.1f %%)" % (total[d]["cases"], 100 * total[d]["cases"] / n)
             for d in ("native_cpu", "native_cuda")]
    print("| %s | %d | %s | %s |" % (
        name, n, " | ".join(share),
        ", ".join("`%s` (%d)" % m for m in missing[:3] if m[1])))


print("| model | cases | native on a processor | native on CUDA | missing first (cases) |")
print("|---|---|---|---|---|")
for name in sorted(os.listdir(folder)):
    row(os.path.splitext(name)[0], ask(os.path.join(folder, name)))
row("**all**", ask(folder))
