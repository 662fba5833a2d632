# on_terminal.py REGEX N COMMAND...: run it on a terminal of its own, and press
# Ctrl-C there N times, 0.3 s apart, once its output has matched.  Copies the
# output; ends by its exit code, or by 99 after 60 s.
import os, pty, re, select, sys, time

regex, presses, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
seen, due, until = b"", None, time.time() + 60
while True:
    ready = select.select([terminal], [], [], 0.05)[0]
    try:
        data = os.read(terminal, 4096) if ready else None
    except OSError:
        break
    if data == b"":
        break
    if data:
        seen += data
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    now = time.time()
    if due is None and re.search(regex.encode(), seen):
        due = now
    if due and presses and now >= due:
        os.write(terminal, b"\x03")
        presses, due = presses - 1, now + 0.3
    if now > until:
        os.kill(pid, 9)
        sys.exit(99)
status = os.waitpid(pid, 0)[1]
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
