# Arguments that no convolution has are unsupported by every implementation and
# the reference, with none of them dying; those at the edge of it are right.
#
# takes 1 s

mkdir "$TMP/root"
cp -r ops/library/shared "$TMP/root"
cp -r ops/library/convolution ops/library/convolution_backward "$TMP/root"
python3 - "$TMP/root" <<'PY'
import json, sys

# (input, weight, stride, padding, dilation, transposed, output padding, groups)
PLAIN = dict(x=[2, 4, 5, 6], w=[6, 4, 3, 3], s=[1, 1], p=[1, 1], d=[1, 1],
             t=False, o=[0, 0], g=1, bias=[6], grad=[2, 6, 5, 6])
WRONG = [
    dict(g=3), dict(g=0), dict(g=-1), dict(w=[6, 5, 3, 3]),
    dict(w=[6, 4, 3]), dict(x=[4, 5, 6]), dict(s=[0, 1]), dict(s=[-1, 1]),
    dict(p=[-1, 1]), dict(d=[0, 1]), dict(d=[1 << 40, 1]), dict(s=[1, 1, 1]),
    dict(w=[6, 4, 0, 3]), dict(w=[6, 4, 9, 3]), dict(x=[2, 4, 0, 6], p=[0, 1]),
    dict(t=True), dict(o=[-1, 0]), dict(bias=[5]), dict(bias=[6, 1]),
    dict(grad=[2, 6, 5, 5]), dict(x=[2, 4, 5, 6, 7, 8]),
    dict(w=[4, 6, 1, 1], t=True, p=[4, 4], grad=[2, 6, 1, 1]),
]
EDGE = [
    dict(x=[0, 4, 5, 6], grad=[0, 6, 5, 6]),
    dict(x=[2, 4, 0, 6], p=[2, 1], grad=[2, 6, 2, 6]),
    dict(w=[0, 4, 3, 3], bias=[0], grad=[2, 0, 5, 6]),
    dict(x=[2, 0, 5, 6], w=[6, 0, 3, 3]),
    dict(s=[7, 9], grad=[2, 6, 1, 1]),
    dict(p=[40, 1], grad=[2, 6, 83, 6]),
    dict(w=[4, 6, 1, 1], t=True, s=[5, 3], p=[0, 0], o=[4, 2],
         grad=[2, 6, 25, 18]),
    dict(p=[10 ** 9, 10 ** 9], d=[10 ** 9, 10 ** 9]),
    dict(x=[2, 6, 5, 6], w=[6, 1, 3, 3], p=[10 ** 9, 10 ** 9],
         d=[10 ** 9, 10 ** 9], g=6),
]

def cases(op):
    for change in WRONG + EDGE:
        a = {**PLAIN, **change}
        wrong = change in WRONG
        if op == "convolution" and "grad" in change and len(change) == 1:
            continue
        if op != "convolution" and "bias" in change and wrong:
            continue
        last = "%s, %s, %s, %s, %s, %d" % (a["s"], a["p"], a["d"], a["t"],
                                           a["o"], a["g"])
        x, w = "T(%s, f32)" % a["x"], "T(%s, f32)" % a["w"]
        if op == "convolution":
            yield "((%s, %s, T(%s, f32), %s), {})" % (x, w, a["bias"], last)
        else:
            yield "((T(%s, f32), %s, %s, %s, %s, [True, True, True]), {})" % (
                a["grad"], x, w, a["bias"], last)

for op in ("convolution", "convolution_backward"):
    folder = "%s/%s/" % (sys.argv[1], op)
    json.dump({"correctness": list(cases(op))}, open(folder + "gen_input.json", "w"))
PY
"$OPSWEEP" run --suite custom_ops --custom-ops-root "$TMP/root" -n 2 --threads 2 \
    --device cpu --profile correct --seed 1 -o "$TMP/edge.h5" >"$TMP/log" 2>&1 || true
expect_exit 0 "$OPSWEEP" report "$TMP/edge.h5" --fail-on none --format csv -o "$TMP/edge.csv"
python3 - "$TMP/edge.csv" <<'PY'
import collections, csv, sys

found = collections.defaultdict(dict)
for r in csv.DictReader(open(sys.argv[1], newline="")):
    found[r["op"], r["case"]][r["impl"]] = r["status"], r["reason"]
right = wrong = 0
for case, by_impl in found.items():
    states = {status for status, _ in by_impl.values()}
    if "pass" in states:
        right += 1
        assert states <= {"pass", "unsupported"}, (case, by_impl)
        assert by_impl["plain"][0] == by_impl["blocked"][0] == "pass", (case, by_impl)
    else:
        wrong += 1
        assert states == {"unverified"}, (case, by_impl)
        assert "does not support" in by_impl["plain"][1], (case, by_impl)
print(right, "right,", wrong, "refused")
assert (right, wrong) == (18, 41), "cases"
PY
