# Threads that an implementation leaves running do not run while another one is
# timed.
#
# takes 5 s

make_op "$TMP/ops"
echo '{"correctness": [], "performance": ["((T([64], f32), 2.0), {})"]}' \
    >"$TMP/ops/scale/gen_input.json"
python3 - "$TMP/ops/scale" <<'PY'
import sys

START = """#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((unused)) static void *go_on(void *arg)
{
    prctl(PR_SET_NAME, "left running");
    for (;;)
        usleep(1000);
    return arg;
}
"""
folder = sys.argv[1]
plain = open(folder + "/scale_plain.c").read()
head, call, tail = plain.partition("    y = osw_output")
assert call, plain


def write(name, before):
    body = head + before + call + tail
    with open("%s/scale_%s.c" % (folder, name), "w") as f:
        f.write(START + body.replace("scale_plain", "scale_" + name))


write("leaves", """    static pthread_t thread;

    if (!thread)
        pthread_create(&thread, NULL, go_on, NULL);
""")
write("sleeps", "    usleep(100000);\n")
PY

rm "$TMP/ops/scale/scale_plain.c" # while a baseline is timed, all stops anyway

# The states that threads of that name are seen in, until this is killed.
python3 - >"$TMP/states" <<'PY' &
import glob
import time

seen = set()
while True:
    for path in glob.glob("/proc/[0-9]*/task/*/status"):
        try:
            lines = open(path).read().split("\n")
        except OSError:
            continue
        if "Name:\tleft running" in lines and lines[2] not in seen:
            seen.add(lines[2])
            print(lines[2], flush=True)
    time.sleep(0.01)
PY
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/ops" --device cpu \
    --profile smoke -n 1 -o "$TMP/run.h5"
kill $!
expect_grep '^State:.S' "$TMP/states"
expect_grep '^State:.T' "$TMP/states"
