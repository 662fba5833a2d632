# tests/shell/strange_words.sh - result files whose words want to be markup

# Sets $file, a run of 4 cells, whose op code says such words, and $evil_file,
# the same with every text it holds replaced by $evil.  Bytes of $evil_file that
# are no UTF-8 stand in reasons.
make_strange_files() {
    make_op "$TMP/ops"
    cat >"$TMP/ops/scale/gen_input.json" <<'JSON'
{"correctness": ["((T([4, 8], f32), 2.0), {})"],
 "performance": ["((T([33], f32), -0.5), {})"]}
JSON
    cat >"$TMP/ops/scale/scale_loud.c" <<'C'
#include <stdio.h>

#include <opsweep/op.h>

int scale_kernel_impl(const osw_call *call)
{
    (void)call;
    fprintf(stderr, "</script><script>alert(1)</script> \x01 <!-- & \"x\"\n");
    return OSW_ERROR;
}
C
    file=$TMP/run.h5
    evil_file=$TMP/evil.h5
    evil='"><img src=x onerror=alert(2)>'"'"'--></script><svg/onload=alert(3)>&lt;'
    expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile smoke \
        -n 2 --baseline plain -o "$file"
    python_h5 - "$file" "$evil_file" "$evil" <<'PY'
import shutil, sys, h5py
src, to, evil = sys.argv[1:]
shutil.copy(src, to)
with h5py.File(to, "r+") as f:
    for name in ("op", "impl", "case", "dtype", "fill", "host", "device", "reason", "output",
                 "baseline"):
        d = f["dict/" + name]
        for i in range(1, len(d)):
            d[i] = evil + name + str(i)
            if name == "reason":
                d[i] = d[i] + b" \xff\xc3(\xed\xa0\x80"
    for name in ("command_line", "hostname", "run_uuid", "profile"):
        f.attrs.modify(name, evil + name)
    for name in ("hostname", "name", "notes", "health"):
        f["devices/" + name][:] = evil + name
PY
}
