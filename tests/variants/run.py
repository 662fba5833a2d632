#!/usr/bin/env python3
"""Measures the judge by a corpus of implementations whose verdict is known.

honest/<op>/ holds right implementations (<op>_pass__<how>), bad/<op>/ wrong
ones (<op>_<states joined by _or_>__<how>), ops/<op>/ the cases and the
reference of both.  Prints which honest ones were refused and which bad ones
passed; exits 1 where there is any.  A bad one that races (<op>_...race) is given
five tries: on few cores threads seldom meet.
"""
import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ACCEPTED = ('pass', 'weak', 'unverified', 'unsupported', 'skipped')
NOT_CHARGED = ('node', 'lost', 'device')
CORPUS_FAULTS = ('build', 'reference', 'load')


def lay_out(root, ops, kind_folder, wanted):
    """Makes op folders of the shared cases and one kind of implementations.
    Returns {(op, implementation): file}."""
    found = {}
    for name in os.listdir(ops):
        if name.endswith('.h'):
            shutil.copy(os.path.join(ops, name), root)
    for op in sorted(os.listdir(kind_folder)):
        folder = os.path.join(kind_folder, op)
        if not os.path.isdir(folder) or (wanted and op not in wanted):
            continue
        own = os.path.join(ops, op)
        shutil.copytree(own, os.path.join(root, op))
        for name in sorted(os.listdir(folder)):
            stem, suffix = os.path.splitext(name)
            if suffix in ('.c', '.py') and stem.startswith(op + '_'):
                shutil.copy(os.path.join(folder, name), os.path.join(root, op))
                found[op, stem[len(op) + 1:]] = os.path.join(folder, name)
        keep_build_words(os.path.join(root, op, 'op.json'), {i for o, i in found if o == op})
    return found


def keep_build_words(path, implementations):
    """Removes the words for the compiler of implementations that are not here: opsweep refuses unknown ones."""
    with open(path) as file:
        described = json.load(file)
    build = {i: words for i, words in described.pop('build', {}).items() if i in implementations}
    if build:
        described['build'] = build
    with open(path, 'w') as file:
        json.dump(described, file)


def timed_only(found, root):
    """Leaves those that need timing: <op>_implausible... and ...timed..."""
    for (op, impl), path in list(found.items()):
        if 'timed' not in impl and 'implausible' not in impl:
            os.remove(os.path.join(root, op, os.path.basename(path)))
            del found[op, impl]
    for op in os.listdir(root):
        if os.path.isdir(os.path.join(root, op)) and op not in {o for o, _ in found}:
            shutil.rmtree(os.path.join(root, op))


def judge(args, kind, root, seed, out, words=()):
    """One campaign; returns its cells.  A bad file is skipped after three crashes or timeouts."""
    command = [args.opsweep, 'run', '--custom-ops-root', root, '--seed', str(seed), '--profile', args.profile,
               '-n', str(args.ranks), '-f', '-o', out, *words]
    if kind == 'honest':
        command.append('--keep-going')
    if args.python:
        command += ['--python', args.python]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit('%s\nexit code %d of: %s' % (done.stdout[-3000:], done.returncode, ' '.join(command)))
    report = subprocess.run([args.opsweep, 'report', out, '--format', 'json'], stdout=subprocess.PIPE, text=True)
    return json.loads(report.stdout)['cells']


def numpy_python():
    for python in ('python3', '/usr/bin/python3'):
        if subprocess.run([python, '-c', 'import numpy'], stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


def by_implementation(cells, found):
    """{(op, implementation): [cells]}, those without any included."""
    table = collections.OrderedDict((key, []) for key in found)
    for cell in cells:
        op = cell['op'].removesuffix('.default')
        if (op, cell['impl']) in table:
            table[op, cell['impl']].append(cell)
    return table


def line(cell):
    return '%s: %s %s' % (cell['status'], cell.get('reason') or '', cell['case'])


def show_honest(table, seed, show):
    refused = []
    for (op, impl), cells in table.items():
        wrong = [c for c in cells if c['status'] not in ACCEPTED + NOT_CHARGED]
        judged = [c for c in cells if c['status'] in ('pass', 'weak', 'unverified')]
        if wrong:
            refused.append((op, impl))
            print('REFUSED seed %d %s_%s: %d of %d cells' % (seed, op, impl, len(wrong), len(cells)))
            for cell in wrong[:show]:
                print('    ' + line(cell))
        elif not judged:
            refused.append((op, impl))
            print('NOT JUDGED seed %d %s_%s: %s' % (seed, op, impl, line(cells[0]) if cells else 'no cells'))
    return refused


def await_races(args, root, seed, out, table):
    """Judges those that race and passed again, by other random values."""
    for op, impl in table:
        for again in range(1, 5):
            if not impl.endswith('race') or not {c['status'] for c in table[op, impl]} <= set(ACCEPTED + NOT_CHARGED):
                break
            words = ['--ops', op, '--impls', impl]
            cells = judge(args, 'bad', root, seed + 1000 * again, out, words)
            table[op, impl] = [c for c in cells if c['impl'] == impl]


def show_bad(table, seed, show):
    passed = []
    for (op, impl), cells in table.items():
        wrong = [c for c in cells if c['status'] not in ACCEPTED + NOT_CHARGED + CORPUS_FAULTS]
        named = impl.split('__')[0].split('_or_')
        counts = collections.Counter(c['status'] for c in cells)
        if not wrong:
            passed.append((op, impl))
            print('PASSED seed %d %s_%s: %s' % (seed, op, impl, dict(counts)))
            for cell in [c for c in cells if c['status'] != 'pass'][:show]:
                print('    ' + line(cell))
        elif not {c['status'] for c in wrong} & set(named):
            print('other state seed %d %s_%s: %s' % (seed, op, impl, dict(counts)))
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--opsweep', default=os.path.join(HERE, '../../opsweep'), metavar='PATH')
    parser.add_argument('--seeds', default='1,2,3')
    parser.add_argument('--profile', default='correct', choices=('correct', 'smoke'))
    parser.add_argument('--variants', default=HERE, metavar='DIR', help='folder of honest/ and bad/')
    parser.add_argument('--ops-folder', default=os.path.join(HERE, 'ops'), metavar='DIR')
    parser.add_argument('--ops', default='', help='these op folders only')
    parser.add_argument('--kinds', default='honest,bad')
    parser.add_argument('--timed-only', action='store_true', help='only implementations that cheat while timed')
    parser.add_argument('--ranks', type=int, default=3)
    parser.add_argument('--python', default=numpy_python())
    parser.add_argument('--show', type=int, default=3, help='cells shown of each')
    parser.add_argument('--keep', metavar='DIR', help='keep result files and op folders there')
    args = parser.parse_args()
    args.opsweep = os.path.abspath(args.opsweep)
    wanted = [op for op in args.ops.split(',') if op]
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        scratch = args.keep or scratch
        for kind in args.kinds.split(','):
            root = os.path.join(scratch, kind)
            shutil.rmtree(root, ignore_errors=True)
            os.makedirs(root)
            found = lay_out(root, args.ops_folder, os.path.join(args.variants, kind), wanted)
            if args.timed_only:
                timed_only(found, root)
            if not found:
                continue
            ever = set()
            for seed in [int(s) for s in args.seeds.split(',')]:
                out = os.path.join(scratch, '%s-%d.h5' % (kind, seed))
                table = by_implementation(judge(args, kind, root, seed, out), found)
                if kind == 'bad':
                    await_races(args, root, seed, out, table)
                which = (show_honest if kind == 'honest' else show_bad)(table, seed, args.show)
                ever.update(which)
                states = [c['status'] for cells in table.values() for c in cells]
                print('seed %d, %s: %d of %d implementations %s, %d ops, %d cells, %d pass' %
                      (seed, kind, len(which), len(table), 'refused' if kind == 'honest' else 'passed',
                       len({op for op, _ in table}), len(states), states.count('pass')), flush=True)
            print('%s: %d of %d implementations %s with any seed' %
                  (kind, len(ever), len(found), 'refused' if kind == 'honest' else 'passed'))
            failed |= bool(ever)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
