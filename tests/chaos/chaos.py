#!/usr/bin/env python3
"""tests/chaos/chaos.py - faults in a campaign until it is done all the same

    tests/chaos/chaos.py OPSWEEP ACK_SPY BAD_DISK [--faults N] [--seed S] [--cells N]
                         [--only KIND,...] [--dir DIR] [--limit SECONDS]

Runs a campaign undisturbed, then again with N random faults, resuming it after
each end until it is complete.  If that is before all faults happened, another
one begins.  After every end the journal (or the file) is looked at:

    torn at most, never damaged; it opens
    no record that was there before is gone or changed
    no cell is `lost`: none of these ops harms a worker, however often the worker
    that is at a cell is killed (faults "again" kill it at the same cell, up to
    six times, often with all other ranks)
    what was acknowledged on the wire is in it (ack_spy_mpi.c), also where a
    disk fails and loses what was not synced (bad_disk.c)
    no cell with a result is begun again, none has two
At the end the file has the same cells, verdicts and errors, to the bit, as the
undisturbed one.  Prints counts; exit code 1 when anything was violated.
"""
import argparse
import collections
import errno
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ops  # noqa: E402

INFRA = ('device', 'node', 'lost')
SAME = ('cell', 'phase', 'cell_key', 'op', 'impl', 'case', 'fill', 'dtype', 'status',
        'reason', 'check', 'signal', 'n_elem', 'n_bad', 'n_nan', 'first_bad',
        'max_abs_err', 'max_rel_err', 'max_ulp_err', 'tol_abs', 'tol_rel')
DISK_MIB = 48
AGAIN = 6  # times that the worker at one cell is killed
EARLY = 0.06  # of sessions: faults also while it starts


def read(path):
    try:
        with open(path, 'rb') as f:
            return f.read()
    except OSError:
        return b''


class Run:
    """The processes of one session, found by what they carry."""

    def __init__(self, words, env, log):
        self.mark = env['OSW_CHAOS'].encode()
        self.process = subprocess.Popen(words, env=env, stdout=log, stderr=log,
                                        stdin=subprocess.DEVNULL,
                                        start_new_session=True)

    def table(self):
        """pid: (parent, name, rank or None) of everything that is ours"""
        found, parents = {}, {}
        for entry in os.listdir('/proc'):
            if not entry.isdigit():
                continue
            stat = read(f'/proc/{entry}/stat').decode('latin1')
            if ')' not in stat:
                continue
            name = stat[stat.index('(') + 1:stat.rindex(')')]
            fields = stat[stat.rindex(')') + 2:].split()
            if fields[0] in 'ZX':
                continue
            parents[int(entry)] = (int(fields[1]), name)
        for pid, (parent, name) in parents.items():
            environ = read(f'/proc/{pid}/environ').split(b'\0')
            if b'OSW_CHAOS=' + self.mark in environ:
                rank = [e for e in environ
                        if e.startswith(b'OMPI_COMM_WORLD_RANK=')]
                found[pid] = (parent, name,
                              int(rank[0].split(b'=')[1]) if rank else None)
        more = True
        while more:  # sandboxes: their environment was scrubbed
            more = [p for p, (parent, _) in parents.items()
                    if parent in found and p not in found]
            for pid in more:
                found[pid] = (*parents[pid], None)
        return found

    def pick(self, kind, rng):
        ours = self.table()
        wanted = {
            'sandbox': lambda p, n, r: n.startswith('opsweep-sandbo'),
            'worker': lambda p, n, r: n == 'opsweep' and (r or 0) > 0,
            'coordinator': lambda p, n, r: n == 'opsweep' and r == 0,
            'mpirun': lambda p, n, r: n == 'mpirun',
            'launcher': lambda p, n, r: p == self.process.pid,
        }[kind]
        pids = sorted(p for p, (_, n, r) in ours.items() if wanted(p, n, r))
        return rng.choice(pids) if pids else None

    def wait_gone(self, seconds):
        """Nothing of it is left; returns what had to be killed."""
        end = time.time() + seconds
        while True:
            self.process.poll()
            left = [p for p in self.table() if p != self.process.pid]
            if not left and self.process.poll() is not None:
                return []
            if time.time() > end:
                break
            time.sleep(0.05)
        for pid in left + [self.process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        return left


class Chaos:
    def __init__(self, a):
        self.a = a
        self.rng = random.Random(a.seed)
        self.dir = tempfile.mkdtemp(prefix='opsweep-chaos.', dir=a.dir)
        self.disk = os.path.join(self.dir, 'disk')
        self.rule = os.path.join(self.dir, 'rule')
        self.log = open(os.path.join(self.dir, 'log'), 'ab')
        self.counts = collections.Counter()
        self.violations = []
        self.n_faults = 0
        self.n_full = 0
        self.start = time.time()
        self.kinds = self.choose_kinds()

        self.target, self.n_struck, self.struck = None, 0, set()

    def choose_kinds(self):
        weights = {'sandbox': 36, 'worker': 16, 'coordinator': 16, 'again': 6,
                   'mpirun': 6, 'launcher': 6, 'disk': 8, 'io': 6, 'term': 6, 'int': 6}
        os.mkdir(self.disk)
        self.mounted = subprocess.call(
            ['mount', '-t', 'tmpfs', '-o', f'size={DISK_MIB}m', 'none',
             self.disk], stderr=subprocess.DEVNULL) == 0
        if not self.mounted:
            print('no faults "disk": a small tmpfs cannot be mounted here')
            del weights['disk']
        if self.a.only:
            weights = {k: weights[k] for k in self.a.only.split(',')}
        return weights

    def close(self):
        self.log.close()
        if self.violations:
            shutil.copytree(self.disk, os.path.join(self.dir, 'kept'))
        if self.mounted:
            subprocess.call(['umount', '-l', self.disk])
        if not self.violations:
            shutil.rmtree(self.dir)
        else:
            print(f'kept: {self.dir}')

    def violated(self, text):
        self.violations.append(text)
        print(f'VIOLATED: {text}', flush=True)

    def opsweep(self, *words):
        return subprocess.run([self.a.opsweep, *words], capture_output=True)

    def env(self):
        env = dict(os.environ, OSW_CHAOS=f'{os.getpid()}.{time.time()}',
                   OSW_ACK_LOG=os.path.join(self.dir, 'acks'),
                   XDG_CACHE_HOME=os.path.join(self.dir, 'cache'),
                   LD_PRELOAD=':'.join(os.path.abspath(p) for p in
                                       (self.a.ack_spy, self.a.bad_disk)),
                   OSW_BAD_DISK=self.rule,
                   OMPI_ALLOW_RUN_AS_ROOT='1',
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
        return env

    def words(self, file, first):
        what = ['--custom-ops-root', os.path.join(self.dir, 'ops'),
                '--profile', 'correct', '-o', file] if first else \
            ['--resume', file] + (['--retry-lost'] if self.retry else [])
        return [self.a.opsweep, 'run', *what, '-n',
                str(self.rng.choice((2, 3))), '--timeout', '30', '--heartbeat',
                '0.2', '--silence', '2', '--grace', '5']

    # --- looking ---

    def records(self, folder):
        out = self.opsweep('journal', 'dump', folder)
        if out.returncode:
            self.violated(f'{folder}: {out.stderr.decode().strip()}')
        return [json.loads(line) for line in out.stdout.splitlines()]

    def cells(self, file):
        out = self.opsweep('report', file, '--format', 'json', '--fail-on',
                           'none')
        cells = [{k: c.get(k) for k in SAME}
                 for c in json.loads(out.stdout)['cells']]
        for c in cells:  # a verdict that stands may say what it stood
            if c['reason'].startswith('right in a fresh process'):
                self.counts['cells with a killed sandbox'] += 1
                if c['status'] in ('pass', 'unsupported', 'weak'):
                    c['reason'] = ''
        return cells

    def check_acks(self, session):
        """session: the records of the last one"""
        recorded = collections.Counter(
            r['rank'] for r in session if r['type'] == 'result' and 'rank' in r)
        acked = collections.Counter()
        path = os.path.join(self.dir, 'acks')
        for line in read(path).decode().splitlines():
            rank, n = map(int, line.split())
            acked[rank] = max(acked[rank], n)
        if os.path.exists(path):
            os.unlink(path)
        for rank, n in acked.items():
            self.counts['acknowledged'] += n
            if recorded[rank] < n:
                self.violated(f'rank {rank}: {n} results acknowledged, '
                              f'{recorded[rank]} on disk')
                self.counts['acknowledged and lost'] += n - recorded[rank]

    def check_records(self, records, before):
        done = set()
        for r in records:
            if r['type'] == 'begin' and r['cell'] in done:
                self.violated(f"cell {r['cell']} is begun again after its "
                              f"result: record {r['seq']}")
                self.counts['begun again'] += 1
            if r['type'] == 'result' and r['status'] not in INFRA:
                if r['cell'] in done:
                    self.violated(f"cell {r['cell']} has two results")
                done.add(r['cell'])
        for old, new in zip(before, records):
            if old != new:
                self.violated(f"record {old['seq']} changed")
                break
        if len(records) < len(before):
            self.violated(f'{len(before)} records became {len(records)}')
        return len(done)

    def look(self, file, keep, before):
        """After the end of a session; returns its journal's records"""
        journal = file + '.journal'
        if os.path.isdir(journal):
            v = self.opsweep('journal', 'verify', journal)
            self.counts['journals looked at'] += 1
            if b'torn tail' in v.stdout:
                self.counts['torn tails'] += 1
            elif v.returncode:
                self.violated(f'{v.stdout.decode()}{v.stderr.decode()}')
        elif not os.path.exists(file):
            return None  # killed before there was anything
        records = self.records(keep) if os.listdir(keep) else []
        starts = [0] + [i for i, r in enumerate(records)
                        if r.get('kind') == 'resume']
        n_sessions = sum(r.get('kind') == 'resume' for r in before)
        if len(starts) - 1 > n_sessions or not before:
            self.check_acks(records[starts[-1]:])
        self.check_records(records, before)
        return records

    @staticmethod
    def keep_links(file, keep):
        """The same inodes, of what a session left.  What it removed is there
        already (ack_spy_mpi.c).
        """
        folder = file + '.journal'
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name.endswith('.jnl'):
                path = os.path.join(keep, name)
                if os.path.exists(path):
                    os.unlink(path)
                os.link(os.path.join(folder, name), path)

    # --- faults ---

    def fill_disk(self, run):
        path = os.path.join(self.disk, 'filler')
        self.n_full += 1
        with open(path, 'wb', buffering=0) as f:
            size = 1 << 20
            while size:
                try:
                    f.write(b'\0' * size)
                except OSError:
                    size //= 2
        end = time.time() + 3
        while time.time() < end and run.process.poll() is None:
            time.sleep(0.05)
        os.unlink(path)

    def fail_disk(self, run):
        """EIO from one kind of call, for ever, until the session has ended."""
        struck = self.rule + '.struck'
        call = self.rng.choice(('fdatasync .journal/', 'write .jnl',
                                'write .h5', 'fsync .h5'))
        self.n_full += 1
        with open(self.rule + '.new', 'w') as f:
            f.write(f'{call} 0 {self.rng.choice((0, 1))} {errno.EIO}\n')
        os.rename(self.rule + '.new', self.rule)
        end = time.time() + 3
        while time.time() < end and run.process.poll() is None:
            time.sleep(0.05)
        os.unlink(self.rule)
        if not os.path.exists(struck):
            return False
        os.unlink(struck)
        return True

    # --- one cell's workers, again and again ---

    def at_work(self, file):
        """(session, rank): the first and the last cell that it named last"""
        found = {}
        folder = file + '.journal'
        try:
            names = [n for n in os.listdir(folder) if n.startswith('at_work.')]
        except OSError:
            return found
        last = max((int(n.split('.')[1]) for n in names), default=0)
        for name in names:
            session, rank = map(int, name.split('.')[1:])
            data = read(os.path.join(folder, name))
            if session == last and (session, rank) not in self.struck and \
                    len(data) >= 24 and struct.unpack_from('<I', data)[0] > 0:
                found[session, rank] = struct.unpack_from('<QQ', data, 8)
        return found

    def strike_again(self, run, file):
        """Kill the worker that is at the chosen cell; without one, choose one."""
        at = self.at_work(file)
        if self.target is None and at:
            self.target = at[self.rng.choice(sorted(at))]
        for (session, rank), cells in at.items() if self.target else ():
            if not self.target[0] <= cells[0] <= cells[1] <= self.target[1]:
                continue
            self.target = cells  # a suspect is tried cell by cell
            self.struck.add((session, rank))
            ranks = {r: pid for pid, (_, name, r) in run.table().items()
                     if name == 'opsweep' and r is not None}
            if rank not in ranks:
                continue
            whole = self.rng.choice((False, True, True))
            for r, pid in ranks.items():
                try:
                    if r == rank or whole:
                        os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.n_struck += 1
            self.counts['fault: again'] += 1
            self.n_faults += 1
            if self.n_struck == AGAIN:
                self.counts['cells whose worker was killed six times'] += 1
                self.target, self.n_struck = None, 0
            return

    def forget_target(self, records):
        """It has a result: another one is chosen next time."""
        done = {r['cell'] for r in records if r['type'] == 'result'}
        if self.target and done.issuperset(range(self.target[0],
                                                 self.target[1] + 1)):
            self.target, self.n_struck = None, 0

    def strike(self, run, file):
        """One fault; True when it happened."""
        kind = self.rng.choices(list(self.kinds), self.kinds.values())[0]
        if kind == 'again':
            self.strike_again(run, file)
            return True
        if kind == 'disk':
            self.fill_disk(run)
        elif kind == 'io':
            if not self.fail_disk(run):
                return False
        elif kind in ('term', 'int'):
            run.process.send_signal(signal.SIGTERM if kind == 'term'
                                    else signal.SIGINT)
        else:
            pid = run.pick(kind, self.rng)
            if pid is None:
                return False
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return False
        self.counts['fault: ' + kind] += 1
        self.n_faults += 1
        return True

    @staticmethod
    def has_journal(file, since):
        for name in (file + '.journal.new', file + '.journal'):
            try:
                if os.stat(os.path.join(name, 'lock')).st_mtime >= since - 0.1:
                    return True
            except OSError:
                pass
        return False

    def session(self, file, keep, first):
        """Start it, disturb it, until it ends; returns its exit code."""
        self.counts['sessions'] += 1
        os.makedirs(keep, exist_ok=True)
        run = Run(self.words(file, first), dict(self.env(), OSW_KEEP=keep), self.log)
        # Any moment: from when it holds the journal, now and then from the
        # start of its ranks on (MPI then waits for the dead for a while).
        start = time.time()
        early = self.rng.random() < EARLY
        wake = start + self.rng.uniform(0, self.a.gap) if early else None
        end = time.time() + 120
        while run.process.poll() is None:
            if time.time() > end:
                self.violated('a session took longer than 120 s: '
                              + str(run.table()))
                break
            if wake is None and self.has_journal(file, start):
                wake = time.time() + self.rng.uniform(0, self.a.gap)
            if self.target and self.n_faults < self.a.faults:
                self.strike_again(run, file)
            if wake and self.n_faults < self.a.faults and time.time() > wake:
                if self.strike(run, file):
                    wake = time.time() + self.rng.uniform(0, self.a.gap)
            time.sleep(0.01)
        left = run.wait_gone(20)
        if left:
            self.counts['processes that had to be killed'] += len(left)
        self.keep_links(file, keep)
        return run.process.returncode

    def count_lost(self, records):
        lost = sorted({r['cell'] for r in records
                       if r['type'] == 'result' and r['status'] == 'lost'})
        if lost and not self.retry:
            self.counts['innocent cells lost'] += len(lost)
            self.violated(f'cells {lost} are lost, and had no part in it')

    def campaign(self, n, want):
        file = os.path.join(self.disk, f'run{n}.h5')
        keep = os.path.join(self.disk, f'keep{n}')
        before, first, n_stuck = [], True, 0
        self.retry = False
        self.target, self.n_struck, self.struck = None, 0, set()
        while True:
            self.n_full = 0
            code = self.session(file, keep, first)
            self.counts[f'exit code {code}'] += 1
            records = self.look(file, keep, before)
            first = records is None
            if records is not None:
                # A run may be killed very often without making progress.
                n_stuck = n_stuck + 1 if len(records) == len(before) else 0
                before = records
                self.forget_target(records)
                self.count_lost(records)
            if code in (0, 1, 3):
                break
            # To see how the others fare.
            if records and records[-1].get('complete') and not self.retry:
                self.retry = True
            if code == 2 and records is None and self.n_full:
                self.counts['could not begin on such a disk'] += 1
            elif code == 2:
                self.violated('a session ended with exit code 2: '
                              + read(self.log.name).decode()[-600:])
                return
            if time.time() - self.start > self.a.limit or n_stuck > 60:
                self.violated(f'not done after {time.time() - self.start:.0f} s'
                              f' and {self.n_faults} faults')
                return
        got = self.cells(file)
        if os.path.exists(file + '.journal'):
            self.violated('the journal of a complete run is still there')
        left = [name for name in os.listdir(self.disk)
                if name.startswith(os.path.basename(file) + '.tmp')]
        if left:
            self.violated(f'not removed: {left}')
        different = [(w, g) for w, g in zip(want, got) if w != g]
        if len(got) != len(want) or different:
            self.violated(f'{len(different)} of {len(want)} cells differ '
                          f'({len(got)} are there)')
            for w, g in different[:10]:
                print('  ', {k: (w[k], g[k]) for k in w if w[k] != g[k]},
                      w['op'], w['impl'], w['case'])
        self.counts['campaigns'] += 1
        print(f'campaign {n} done: {self.n_faults} faults, '
              f'{time.time() - self.start:.0f} s', flush=True)
        self.counts['cells compared'] += len(got)
        shutil.rmtree(keep, ignore_errors=True)
        os.unlink(file)

    def go(self):
        n_cells = ops.make(os.path.join(self.dir, 'ops'),
                           max(20, self.a.cells // 10), self.a.ms)
        file = os.path.join(self.disk, 'undisturbed.h5')
        run = Run(self.words(file, True), self.env(), self.log)
        code = run.process.wait()
        run.wait_gone(20)
        if code != 1:
            self.violated(f'the undisturbed run ended with {code}: '
                          + read(self.log.name).decode()[-600:])
            return
        if os.path.exists(os.path.join(self.dir, 'acks')):
            os.unlink(os.path.join(self.dir, 'acks'))
        want = self.cells(file)
        states = collections.Counter(c['status'] for c in want)
        print(f'undisturbed: {n_cells} cells in '
              f'{time.time() - self.start:.1f} s: '
              + ', '.join(f'{n} {s}' for s, n in states.most_common()),
              flush=True)
        n = 0
        while not self.violations and (n == 0 or
                                       self.n_faults < self.a.faults):
            self.campaign(n, want)
            n += 1

    def report(self):
        print(f'{self.n_faults} faults in {self.counts["campaigns"]} campaigns,'
              f' seed {self.a.seed}, {time.time() - self.start:.0f} s')
        for name in ('acknowledged and lost', 'begun again',
                     'innocent cells lost'):
            self.counts[name] += 0
        for name, n in sorted(self.counts.items()):
            print(f'  {name:34} {n}')
        print('violations:', len(self.violations), *self.violations[:3])
        return 1 if self.violations else 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument('opsweep')
    p.add_argument('ack_spy')
    p.add_argument('bad_disk')
    p.add_argument('--faults', type=int, default=30)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--cells', type=int, default=400, help='of the campaign')
    p.add_argument('--ms', type=int, default=10, help='of the slow calls')
    p.add_argument('--gap', type=float, default=1.5,
                   help='seconds between faults, at most')
    p.add_argument('--only', help='kinds of faults, by commas')
    p.add_argument('--dir', default=os.environ.get('TMPDIR', '/tmp'))
    p.add_argument('--limit', type=float, default=7200, help='seconds')
    chaos = Chaos(p.parse_args())
    try:
        chaos.go()
        code = chaos.report()
    finally:
        chaos.close()
    sys.exit(code)


if __name__ == '__main__':
    main()
