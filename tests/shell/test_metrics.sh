# tests/shell/test_metrics.sh - progress for Prometheus, read as strictly as it does
#
# takes 10 s

. tests/shell/slow_op.sh
export OPSWEEP_CACHE=$TMP/cache
make_slow_op "$TMP/ops" 12 100
options=(--suite custom_ops --custom-ops-root "$TMP/ops" --profile correct)

# Prometheus' text format, version 0.0.4: each metric has HELP, then TYPE, then its
# samples without another's between them; no sample twice.
cat >"$TMP/parse.py" <<'PY'
import re, sys
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)\{(%s(?:,%s)*)\} (NaN|[-+]?[0-9.]+(?:e[-+]?[0-9]+)?)'
                    % (LABEL, LABEL))
text = open(sys.argv[1]).read()
assert text.endswith("\n") and "\r" not in text
current, seen, values, types = None, set(), {}, {}
for line in text[:-1].split("\n"):
    if line.startswith("# HELP "):
        name, words = line[7:].split(" ", 1)
        assert words and name not in types and name != current, line
        current, state = name, "help"
    elif line.startswith("# TYPE "):
        name, kind = line[7:].split(" ")
        assert name == current and state == "help", line
        assert kind in ("counter", "gauge"), line
        assert (kind == "counter") == name.endswith("_total"), line
        types[name], state = kind, "type"
    else:
        m = SAMPLE.fullmatch(line)
        assert m, line
        assert m[1] == current and state in ("type", "samples"), line
        state = "samples"
        assert (m[1], m[2]) not in seen, line
        seen.add((m[1], m[2]))
        labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', m[2]))
        assert labels["file"] == sys.argv[2], labels
        values[m[1] + (":" + labels["state"] if "state" in labels else "")] = float(m[3])
for want in sys.argv[3:]:
    key, value = want.split("=")
    assert values[key] == float(value), (want, values[key])
total = sum(v for k, v in values.items() if k.startswith("opsweep_cells_total:"))
assert total <= values["opsweep_cells_planned"]
print(int(total))
PY
parse() { python3 "$TMP/parse.py" "$TMP/opsweep.prom" "$@"; }

# --- while a campaign goes on: only whole files ---------------------------------
"$OPSWEEP" run "${options[@]}" -n 2 -o "$TMP/run.h5" --metrics-file "$TMP/opsweep.prom" \
    >"$TMP/said" 2>&1 &
pid=$!
n=0
while kill -0 $pid 2>/dev/null; do
    if [ -e "$TMP/opsweep.prom" ]; then
        parse "$TMP/run.h5" >/dev/null
        n=$((n + 1))
    fi
    sleep 0.05
done
rc=0
wait $pid || rc=$?
expect_equal 1 "$rc" 'exit code of the run'
[ "$n" -gt 0 ] || fail 'no metrics while the campaign went on'
expect_equal 36 "$(parse "$TMP/run.h5" opsweep_cells_planned=36 opsweep_running=0 \
    opsweep_cells_total:pass=24 opsweep_cells_total:value=12 opsweep_workers_lost=0 \
    opsweep_left_seconds=0 opsweep_progress_ratio=1)" 'cells at the end'
expect_no_file "$TMP"/opsweep.prom.tmp*

# --- a file that cannot be written is told once; the campaign goes on --------------
expect_exit 1 "$OPSWEEP" run "${options[@]}" -n 2 -o "$TMP/other.h5" \
    --metrics-file "$TMP/none/opsweep.prom"
expect_equal 1 "$(grep -c -e '--metrics-file' "$TMP/err")" 'times that it is told'
expect_err "option '--metrics-file': .*none/opsweep.prom.*; the campaign goes on without it"
expect_out 'other.h5: 36 cells'

# --- it is not the result file ------------------------------------------------------
expect_exit 2 "$OPSWEEP" run "${options[@]}" -n 1 --force -o "$TMP/run.h5" --metrics-file "$TMP/run.h5"
expect_err "option '--metrics-file': expected another file than the result file"
expect_exit 1 "$OPSWEEP" report "$TMP/run.h5"
expect_exit 2 "$OPSWEEP" run "${options[@]}" --metric-file "$TMP/x"
expect_err "did you mean '--metrics-file'"
