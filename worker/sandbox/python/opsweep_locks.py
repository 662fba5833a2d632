# opsweep_locks.py - multiprocessing's locks where their files cannot be made
#
# These are files in /dev/shm, where op code makes none (isolate.c): packages
# that keep such a lock for each kernel could not even be imported.  Here they
# are of this process alone, between its threads.
import os
import threading

try:
    import _multiprocessing
except ImportError:
    _multiprocessing = None  # this Python has no such locks

RECURSIVE = 0  # of `kind`: the thread that has it may have it again


class OwnLock:
    """What multiprocessing wants of its SemLock."""

    SEM_VALUE_MAX = 2**31 - 1
    handle = 0

    def __init__(self, kind, value, maxvalue, name, unlink):
        self.kind = kind
        self.maxvalue = maxvalue
        self.name = name
        self.value = value
        self.changed = threading.Condition()
        self.owner, self.depth = None, 0

    def acquire(self, block=True, timeout=None):
        with self.changed:
            if not (self.kind == RECURSIVE and self._is_mine()):
                if not self.changed.wait_for(lambda: self.value > 0,
                                             timeout if block else 0):
                    return False
                self.value -= 1
            self.owner = threading.get_ident()
            self.depth += 1
            return True

    def release(self):
        with self.changed:
            if self.kind == RECURSIVE:
                if not self._is_mine():
                    raise AssertionError("attempt to release recursive lock "
                                         "not owned by thread")
            elif self.value >= self.maxvalue:
                raise ValueError("semaphore or lock released too many times")
            self.depth -= 1
            if self.kind != RECURSIVE or self.depth == 0:
                self.value += 1
                self.changed.notify()

    def __enter__(self):
        self.acquire()
        return self

    def __exit__(self, *what):
        self.release()

    def _count(self):
        return self.depth

    def _is_mine(self):
        return self.depth > 0 and self.owner == threading.get_ident()

    def _get_value(self):
        return self.value

    def _is_zero(self):
        return self.value == 0

    def _after_fork(self):
        self.depth = 0


def take_over():
    """Where a lock cannot be made as usual."""
    if _multiprocessing is None:
        return
    try:
        _multiprocessing.SemLock(1, 1, 1, "/opsweep-%d" % os.getpid(), True)
    except OSError:
        _multiprocessing.SemLock = OwnLock
