# opsweep_zygote.py - a process that imports, and forks sandboxes which have it
#
# worker/judge/process/zygote.h is the judge's side.
import ctypes
import gc
import importlib
import os
import socket
import sys
import tempfile
import time
import warnings

from opsweep_compiled import SOCKET, importable

READY = b"\x40"  # OSW_TALK_READY of worker/protocol.h
PR_SET_PDEATHSIG = 1
SIGKILL = 9


def become_sandbox(judge, sock, out):
    """In the new process: the steps of opsweep-sandbox's main()."""
    os.setpgid(0, 0)
    for _ in range(10000):  # until the process that forked us has ended
        if os.getppid() == judge:
            break
        time.sleep(0.0001)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    if os.getppid() != judge:
        os._exit(1)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.dup2(sock, SOCKET)
    os.closerange(SOCKET + 1, 256)
    os.write(SOCKET, os.getpid().to_bytes(4, sys.byteorder))
    tempfile.tempdir = None  # another's


tried = set()  # packages that the zygote was to import


def bring(package):
    """For all processes that are forked from now on.  One that cannot be
    imported is not: who asks for it hears why.
    """
    if not package or package in tried or not importable(package):
        return
    tried.add(package)
    gc.disable()  # an import of torch makes a million objects, and keeps them
    try:
        importlib.import_module(package)
    except Exception:
        return
    finally:
        gc.enable()
    gc.collect()
    gc.freeze()


def fork_sandboxes(judge):
    """A process for each message, with the package that it names.  Returns the
    device's kind in each new one, in its folder, and never in the zygote
    itself.
    """
    warnings.simplefilter("ignore", DeprecationWarning)
    bring("numpy")
    talk = socket.socket(fileno=os.dup(SOCKET))
    talk.send(READY)
    while True:
        data, fds, _, _ = socket.recv_fds(talk, 512, 2)
        if not data:
            os._exit(0)
        device, folder, package, visible = data[2:-1].decode().split("\n")
        bring(package)
        child = os.fork()
        if child == 0:
            if os.fork():
                os._exit(0)
            os.chdir(folder)
            if visible:
                name, _, value = visible.partition("=")
                os.environ[name] = value
            become_sandbox(judge, fds[0], fds[1])
            talk.detach()
            return device
        os.waitpid(child, 0)
        for fd in fds:
            os.close(fd)
