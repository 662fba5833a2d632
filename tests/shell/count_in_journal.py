"""count_in_journal.py JOURNAL TYPE [LEAST [PID]] - prints how many records of that
number (docs/RESULTS.md) the files of the folder JOURNAL hold

With LEAST it first waits for so many, until PID ends, for three minutes at most:
then the exit code is 1.  One process looks again and again; each start of one costs more.
"""
import glob
import os
import struct
import sys
import time

journal, kind = sys.argv[1], int(sys.argv[2])
least, pid = (int(word) for word in (sys.argv[3:] + ["0", "0"])[:2])


def count():
    n = 0
    for path in sorted(glob.glob(glob.escape(journal) + "/*.jnl")):
        try:
            data, at = open(path, "rb").read(), 4096
        except FileNotFoundError:
            continue
        while data[at:at + 4] == b"OJR1" and at + 24 <= len(data):
            length, _, found = struct.unpack_from("<IQH", data, at + 4)
            n += found == kind
            at += (24 + length + 7) // 8 * 8
    return n


def runs():
    try:
        os.kill(pid, 0)  # pid 0: this one's group, which does
        return True
    except ProcessLookupError:
        return False


until = time.monotonic() + 180
while count() < least and runs():
    if time.monotonic() > until:
        sys.exit("no %d records of type %d in '%s' within three minutes" % (least, kind, journal))
    time.sleep(0.05)
print(count())
