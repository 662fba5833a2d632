#!/usr/bin/env python3
"""tests/attacks/run.py - do hostile ops get the verdict in their names?

    run.py OPSWEEP FOLDER [--python PROGRAM] [--attacks DIR]
           [--verbose] [ROOT...]

Runs campaigns over op folders whose implementations attack opsweep, each with
an honest neighbour, in FOLDER.  The name of an implementation lists the states
that it may end in: <state>_or_<state>__<how>; "any" allows all states that a
verdict can have, "fail" those of a wrong result (what a race leaves to be seen is
not the same each time), "slow" a pass with the time of the folder's pass__slow:
what it keeps did not help it.  Besides, for each campaign:

  * it completes, no worker is lost, no cell is tried twice, every cell has a
    record, and no cell takes longer than LONGEST, by how busy the machine is;
  * nothing outside of the sandboxes' scratch folders changes: contents, modes,
    owners, times, flags and extended attributes of the op folders, a home
    folder, the current folder and a folder to be attacked; of the build cache,
    the contents of what was there before;
  * no process is left running, and no file in TMPDIR or /dev/shm;
  * the honest neighbours' records are equal to those of a campaign without
    attackers, in the columns of the verdict.

known.txt lists what is known to be otherwise: it is printed, and is no failure.
Exit code: 0 as expected, 1 not, 2 cannot run.
"""
import argparse
import csv
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))

# root: MPI ranks, profile, seconds that a campaign may take
CAMPAIGNS = {
    "correct": (3, "correct", 240),
    "python": (3, "correct", 240),
    "timed": (1, "smoke", 240),
    "results": (1, "smoke", 240),
    "slow": (3, "smoke", 300),
    "cuda": (1, "smoke", 400),
}
SLOW = 0.4  # of the time of pass__slow, at least: both are taken once
TRIES = 3  # where it is less: the machine works for others, too
LONGEST = 40.0  # s, of one cell
SAME = """op impl case dtype fill status phase check reason output reference
    baseline signal exit_code bytes flops n_elem n_bad n_nan first_bad
    bad_output max_abs_err max_rel_err max_ulp_err rms_norm_err max_norm_err
    tol_norm trials repeats tol_abs tol_rel memory_bytes""".split()
# What a busy machine may make of a reason: times are not compared.
TIMED_ANEW = re.compile("(; )?timed on inputs that are new in every element; .*")
FAIL = set("""value precision nan shape dtype unwritten guard mutated async stale
    nondeterministic implausible""".split())
NEVER = {"device", "node", "lost"}  # charged to nodes, not to ops
# Op code may change modes and times outside (docs/SECURITY.md), but only here.
MODES = os.path.join("outside", "modes")


def crowd():
    """How many processes want a core, for each core there is; 1 at least."""
    return max(1, max(os.getloadavg()[:2]) / os.cpu_count())


def end_within(child, seconds):
    """Its exit code; None: it runs after that time, or so much more of it as it
    has to share cores with others."""
    for more in (lambda: seconds, lambda: seconds * (crowd() - 1)):
        try:
            return child.wait(timeout=more())
        except subprocess.TimeoutExpired:
            pass
    return None


def inode_flags(path):
    """Flags that chattr sets; None where the file system has none."""
    get = 0x80086601
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return struct.unpack("l", fcntl.ioctl(fd, get, bytes(8)))[0] & 0xFFFFFFFF
    except OSError:
        return None
    finally:
        os.close(fd)


def describe(path):
    """Everything about a file that an attack could change."""
    s = os.lstat(path)
    said = {"mode": s.st_mode, "owner": (s.st_uid, s.st_gid),
            "links": s.st_nlink, "mtime": s.st_mtime_ns}
    if stat.S_ISLNK(s.st_mode):
        said["target"] = os.readlink(path)
    else:
        said["attributes"] = [(k, os.getxattr(path, k))
                              for k in sorted(os.listxattr(path))]
        said["flags"] = inode_flags(path)
    if stat.S_ISREG(s.st_mode):
        with open(path, "rb") as f:
            said["content"] = hashlib.sha256(f.read()).hexdigest()
    return said


def snapshot(top, folders):
    """{path below top: description} of everything in folders."""
    seen = {}
    for folder in folders:
        for at, dirs, files in os.walk(os.path.join(top, folder)):
            for name in [""] + dirs + files:
                path = os.path.join(at, name) if name else at
                seen[os.path.relpath(path, top)] = describe(path)
    return seen


def cache_contents(path):
    """{name: digest} of objects; what is not finished yet has another name."""
    said = {}
    for name in os.listdir(path):
        if name.endswith((".so", ".deps")):
            with open(os.path.join(path, name), "rb") as f:
                said[name] = hashlib.sha256(f.read()).hexdigest()
    return said


def changes(before, after):
    """Words for each difference of two snapshots."""
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            yield path, "is gone"
        elif path not in before:
            yield path, "is new"
        else:
            for what in sorted(before[path].keys() | after[path].keys()):
                old, new = before[path].get(what), after[path].get(what)
                documented = path.startswith(MODES) and \
                    what in ("mode", "mtime")
                if old != new and not documented:
                    yield path, "has another " + what


def processes(mark):
    """{pid: command} of those alive that have `mark` in their environment."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as f:
                marked = mark in f.read().split(b"\0")
            with open("/proc/%s/stat" % pid) as f:
                state = f.read().rpartition(")")[2].split()[0]
            with open("/proc/%s/cmdline" % pid) as f:
                words = f.read().replace("\0", " ")
        except OSError:
            continue
        if marked and state != "Z" and int(pid) != os.getpid():
            found[int(pid)] = words[:100]
    return found


def cell_of(r):
    return r["op"].rpartition(".")[0] + "_" + r["impl"]


class Campaign:
    """One run of opsweep over a root, in a folder of its own."""

    def __init__(self, options, root, impls=None, what="honest", codes=(0,), ops=None):
        self.options, self.root, self.impls, self.ops = options, root, impls, ops
        self.top = os.path.join(options.folder, root if not impls else
                                root + "-" + what)
        self.codes = codes if impls else (1,)
        self.problems, self.notes, self.quick = [], [], []
        self.env = dict(os.environ)

    def prepare(self):
        # Deeper than shutil.rmtree() goes.
        subprocess.run(["rm", "-rf", self.top], check=True)
        for name in ("home", "cwd/folder", "scratch", "outside/folder",
                     "outside/modes", "outside/flags"):
            os.makedirs(os.path.join(self.top, name))
        for name in ("file", "folder/inner", "modes/file", "flags/file"):
            with open(os.path.join(self.top, "outside", name), "w") as f:
                f.write("to be attacked\n")
        for name in ("cwd/precious", "cwd/folder/inner", "home/.profile"):
            with open(os.path.join(self.top, name), "w") as f:
                f.write("precious\n")
        ops = os.path.join(self.top, "ops")
        os.makedirs(ops)
        shutil.copytree(os.path.join(self.options.attacks, self.root),
                        os.path.join(ops, self.root))
        for name in os.listdir(HERE):
            if name.endswith((".h", ".cuh")):
                shutil.copy(os.path.join(HERE, name), ops)
        self.cache = os.path.join(self.options.folder, "cache")
        os.makedirs(self.cache, mode=0o700, exist_ok=True)
        self.mark = "ATTACK_OUTSIDE=" + os.path.join(self.top, "outside")
        self.env.update(
            HOME=os.path.join(self.top, "home"),
            TMPDIR=os.path.join(self.top, "scratch"),
            OPSWEEP_CACHE=self.cache, OPSWEEP_PASS_ENV="ATTACK_*",
            OPSWEEP_CFLAGS="-std=gnu11 -O1 -fopenmp",
            ATTACK_OUTSIDE=os.path.join(self.top, "outside"),
            ATTACK_CACHE=self.cache)

    def run(self):
        ranks, profile, limit = CAMPAIGNS[self.root]
        if self.ops:
            ranks = 1  # none of these needs another worker beside it
        words = [self.options.opsweep, "run", "--suite", "custom_ops",
                 "--custom-ops-root", os.path.join(self.top, "ops", self.root),
                 "--device", "cuda" if self.root == "cuda" else "cpu",
                 "--profile", profile, "-n", str(ranks), "--timeout", "1",
                 "--max-rss", "1G", "--seed", "1",
                 "-o", os.path.join(self.top, "run.h5")]
        if self.impls:
            words += ["--impls", self.impls]
        if self.ops:
            words += ["--ops", ",".join(self.ops)]
        if self.options.python:
            words += ["--python", self.options.python]
        began = time.monotonic()
        with open(os.path.join(self.top, "err"), "wb") as err:
            child = subprocess.Popen(
                words, cwd=os.path.join(self.top, "cwd"), env=self.env,
                stdin=subprocess.DEVNULL, stdout=err, stderr=err,
                start_new_session=True)
            code = end_within(child, limit)
            if code is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                code = "none, it was killed after %d s" % (
                    time.monotonic() - began)
        self.wall = time.monotonic() - began
        if code not in self.codes:
            self.problem("exit code", "%s, expected %s" % (
                code, " or ".join(map(str, self.codes))))

    def problem(self, subject, words):
        self.problems.append((subject, words))

    def report(self, form):
        path = os.path.join(self.top, "run." + form)
        done = subprocess.run(
            [self.options.opsweep, "report", "--fail-on", "none",
             os.path.join(self.top, "run.h5"), "--format", form, "-o", path],
            env=self.env, capture_output=True, text=True, errors="replace")
        if done.returncode:
            self.problem("report", "exit code %d: %s" %
                         (done.returncode, done.stderr[-300:]))
        return open(path, newline="", encoding="utf-8")

    def read(self):
        self.rows = []
        try:
            with self.report("csv") as f:
                self.rows = list(csv.DictReader(f))
            with self.report("json") as f:
                said = json.load(f)
        except (OSError, ValueError) as e:
            self.problem("result file", str(e))
            return
        if not said["run"]["complete"] or said["totals"]["n_missing"]:
            self.problem("campaign", "is not complete")
        for d in said["devices"]:
            if d["health"] != "ok":
                self.problem("rank %d" % d["rank"], d["health"])
        if said["run"]["n_planned"] != len(self.rows):
            self.problem("records", "%d of %d" %
                         (len(self.rows), said["run"]["n_planned"]))

    def is_slow(self, r):
        """A pass that takes about as long as doing all the work does, or for
        which no time is claimed."""
        if r["sample_n"] in ("", "0"):
            return r["status"] == "pass"
        same = [float(o["t_median_ns"] or 0) for o in self.rows
                if o["impl"] == "pass__slow" and o["case"] == r["case"] and
                o["op"] == r["op"]]
        return r["status"] == "pass" and bool(same) and \
            float(r["t_median_ns"] or 0) > SLOW * same[0]

    def judge(self):
        for r in self.rows:
            cell = cell_of(r)
            allowed = r["impl"].split("__")[0].split("_or_")
            if "slow" in allowed and r["status"] == "pass":
                if not self.is_slow(r):
                    self.quick.append(r)
            elif r["reason"].startswith("machine too busy"):
                self.notes.append("%s: %s" % (cell, r["reason"]))
            elif r["status"] not in allowed and \
                    not ("fail" in allowed and r["status"] in FAIL) and \
                    (allowed != ["any"] or r["status"] in NEVER):
                self.problem(cell, "%s: %s" % (r["status"], r["reason"][:300]))
            if int(r["attempt"]) > 1:
                self.notes.append("%s: attempt %s" % (cell, r["attempt"]))
            if float(r["wall_ns"] or 0) > LONGEST * crowd() * 1e9:
                self.problem(cell, "slow: took %.1f s" %
                             (float(r["wall_ns"]) / 1e9))

    def look_again(self):
        """Those that passed and were quick must be so each time."""
        self.notes += sorted({cell_of(r) + ": quick, so timed again"
                              for r in self.quick})
        for _ in range(TRIES):
            if not self.quick:
                return
            again = Campaign(self.options, self.root, ",".join(
                sorted({r["impl"] for r in self.quick} | {"pass__slow"})),
                "again", (0, 1))
            again.prepare()
            again.run()
            again.read()
            again.judge()
            self.problems += again.problems
            quick = {(cell_of(r), r["case"]) for r in again.quick}
            self.quick = [r for r in self.quick
                          if (cell_of(r), r["case"]) in quick]
        for r in self.quick:
            self.problem(cell_of(r), "%s: it is quick" % r["status"])

    def covered(self):
        """Every implementation's file has a record."""
        have = {(r["op"].rpartition(".")[0], r["impl"]) for r in self.rows}
        root = os.path.join(self.top, "ops", self.root)
        for op in sorted(os.listdir(root)):
            if not os.path.isdir(os.path.join(root, op)):
                continue
            for name in sorted(os.listdir(os.path.join(root, op))):
                stem = os.path.splitext(name)[0]
                if "__" in stem and (op, stem[len(op) + 1:]) not in have:
                    self.problem(stem, "has no record")

    def leftovers(self):
        until = time.monotonic() + 3
        mark = self.mark.encode()
        while processes(mark) and time.monotonic() < until:
            time.sleep(0.05)
        for pid, words in processes(mark).items():
            self.problem("process", "left running: " + words)
            os.kill(pid, signal.SIGKILL)
        scratch = os.listdir(os.path.join(self.top, "scratch"))
        if scratch:
            self.problem("scratch", "left in TMPDIR: " + " ".join(scratch))

    def whole(self):
        self.prepare()
        folders = ["ops", "home", "cwd", "outside"]
        before = snapshot(self.top, folders)
        cached = cache_contents(self.cache)
        shared = set(os.listdir("/dev/shm"))
        self.run()
        self.leftovers()
        for path, words in changes(before, snapshot(self.top, folders)):
            self.problem(path, words)
        now = cache_contents(self.cache)
        for name in cached:
            if now.get(name) != cached[name]:
                self.problem("cache", name + " is not as it was")
        for name in set(os.listdir("/dev/shm")) - shared:
            if "attack" in name:
                self.problem("/dev/shm", name + " is new")
        self.read()
        self.judge()
        self.look_again()
        if not self.impls:
            self.covered()
        return self


def honest_ops(options, root):
    """Ops of this root that have an honest implementation."""
    top = os.path.join(options.attacks, root)
    return sorted(op for op in os.listdir(top)
                  if any("_pass__honest" in name for name in os.listdir(os.path.join(top, op))))


def compare_honest(attacked, alone):
    def records(campaign):
        return {(r["op"], r["impl"], r["case"]): {k: TIMED_ANEW.sub("", r[k]) for k in SAME}
                for r in campaign.rows if r["impl"].startswith("pass__honest")}
    want, got = records(alone), records(attacked)
    if not want:
        attacked.problem("honest", "no record")
    for key in sorted(want.keys() | got.keys()):
        w, g = want.get(key), got.get(key)
        if w is None or g is None:
            attacked.problem("honest " + key[0], "is in one campaign alone")
            continue
        for k in SAME:
            if w[k] != g[k]:
                attacked.problem("honest " + key[0], "%s is %r, and %r without "
                                 "attackers" % (k, g[k], w[k]))


def known_findings(path):
    """{subject: words} of what is known; a problem matches by its subject and
    how its words begin."""
    known = []
    try:
        with open(path) as f:
            for line in f:
                line = line.split("#")[0].strip()
                if line:
                    subject, _, words = line.partition(" ")
                    known.append((subject, words.strip()))
    except FileNotFoundError:
        pass
    return known


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("opsweep")
    parser.add_argument("folder")
    parser.add_argument("--python")
    parser.add_argument("--attacks", default=HERE)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("roots", nargs="*")
    options = parser.parse_intermixed_args()
    options.folder = os.path.abspath(options.folder)
    options.opsweep = os.path.abspath(options.opsweep)
    options.attacks = os.path.abspath(options.attacks)
    known = known_findings(os.path.join(options.attacks, "known.txt"))
    failed = n_attacks = 0
    seen = set()
    for root in options.roots or ["correct", "timed"]:
        attacked = Campaign(options, root).whole()
        # Without the other ops: their generators attack, too.
        alone = Campaign(options, root, "pass__honest*", ops=honest_ops(options, root)).whole()
        compare_honest(attacked, alone)
        attackers = {(r["op"], r["impl"]) for r in attacked.rows
                     if not r["impl"].startswith("pass__honest")}
        n_attacks += len(attackers)
        print("%s: %d attacks, %d cells, %.1f s; without attackers %.1f s" %
              (root, len(attackers), len(attacked.rows), attacked.wall,
               alone.wall))
        if options.verbose:
            for r in attacked.rows:
                print("  %-7s %6.2f s %6s  %s_%s  %s" % (
                    r["status"], float(r["wall_ns"] or 0) / 1e9,
                    r["speedup"][:6], r["op"], r["impl"],
                    " ".join(r["reason"].split())[:100]))
        for campaign in (attacked, alone):
            for words in campaign.notes:
                print("  note: " + words)
            for subject, words in campaign.problems:
                is_known = [k for k in known if k[0] == subject.replace(" ", "_")
                            and words.startswith(k[1])]
                seen.update(is_known)
                failed += not is_known
                print("  %s: %s: %s" % ("known" if is_known else "WRONG",
                                        subject, " ".join(words.split())))
    for k in known:
        if k not in seen:
            print("  not seen this time: %s %s" % k)
    print("attacks: %d, unexpected: %d" % (n_attacks, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
