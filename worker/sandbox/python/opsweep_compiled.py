# opsweep_compiled.py - packages that ops import, and what these compile while ops
# run
import ast
import hashlib
import importlib.metadata
import importlib.util
import os
import socket
import sys

SOCKET = 3  # the end of the judge's socket: worker/protocol.h
PROGRESS = b"\x46"


def importable(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def imported(source):
    """The packages that a file imports, in any of its statements."""
    packages = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            packages.update(a.name.split(".")[0] for a in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module \
                and not node.level:
            packages.add(node.module.split(".")[0])
    return packages


def version_of(name):
    try:
        return name + importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return name


# Caches of code that libraries compile while ops run: variable, module, folder.
# isolate.c lets sandboxes write into the folders that the variables name.
CACHES = (("TRITON_CACHE_DIR", "triton", "triton"),
          ("TORCHINDUCTOR_CACHE_DIR", "torch", "inductor"),
          ("TORCH_EXTENSIONS_DIR", "torch", "extensions"),
          ("PYTORCH_KERNEL_CACHE_PATH", "torch", "kernels"),
          ("NUMBA_CACHE_DIR", "numba", "numba"),
          ("CUPY_CACHE_DIR", "cupy", "cupy"),
          ("FLAGGEMS_CACHE_DIR", "flag_gems", "flag_gems"))
CHUNK = 1 << 20  # bytes of a file that are read at once


def place_caches():
    """What is compiled is kept in the build cache, by node and versions, or
    where the variables say.  In each of these folders a file has its own:
    own_caches().
    """
    base = os.environ.get("OPSWEEP_CACHE")
    if not base:
        base = os.environ.get("XDG_CACHE_HOME") or \
            os.path.join(os.path.expanduser("~"), ".cache")
        base = os.path.join(base, "opsweep")
    present = {module: importable(module) for _, module, _ in CACHES}
    for variable, module, folder in CACHES:
        path = os.environ.pop(variable, None)
        if not present[module]:
            continue  # scratch_caches() gives it another
        versions = ["python%d.%d" % sys.version_info[:2], version_of("torch"),
                    version_of("triton" if module == "torch" else module)]
        path = path or os.path.join(
            base, folder, socket.gethostname(), "-".join(versions))
        try:
            os.makedirs(path, 0o700, exist_ok=True)
        except OSError:
            continue
        os.environ[variable] = path


def scratch_caches():
    """Where there is no other folder: in the sandbox's own."""
    for variable, _, folder in CACHES:
        os.environ.setdefault(variable, os.path.join(os.getcwd(), folder))


def name_of_code(paths):
    """Of the places and contents of files.  The place counts: a file loads
    what lies beside it.
    """
    whole = hashlib.sha256()
    for path in paths:
        own = hashlib.sha256()
        with open(path, "rb") as f:
            for chunk in iter(lambda: f.read(CHUNK), b""):
                own.update(chunk)
        whole.update(os.fsencode(os.path.realpath(path)) + b"\0")
        whole.update(own.digest())
    return whole.hexdigest()[:32]


def own_caches(paths):
    """From now on the caches are those of the code in these files alone: other
    code must not put there what these would run.
    """
    name = name_of_code(paths)
    scratch = os.path.join(os.getcwd(), "")
    for variable, _, folder in CACHES:
        path = os.environ[variable]
        if path.startswith(scratch):
            continue
        path = os.path.join(path, name)
        try:
            os.makedirs(path, 0o700, exist_ok=True)
        except OSError:
            path = scratch + folder
        os.environ[variable] = path


def autotuners(namespace):
    """Triton's autotuners among a file's globals, by the name of what they
    tune; decorators may lie around them.
    """
    found = {}
    for name, value in namespace.items():
        for _ in range(8):
            if type(value).__name__ == "Autotuner":
                found[name] = value
            value = getattr(value, "fn", None)
            if value is None:
                break
    return found


def tell_of_compiling():
    """Tell the judge whenever Triton has compiled a kernel, so that it waits
    longer for the call that does.  A hook that is there already stays.
    """
    runtime = getattr(getattr(sys.modules["triton"], "knobs", None), "runtime",
                      None)
    before = getattr(runtime, "jit_post_compile_hook", None)

    def hook(*args, **kwargs):
        try:
            os.write(SOCKET, PROGRESS)
        except OSError:
            pass
        return before(*args, **kwargs) if before else None

    if hasattr(runtime, "jit_post_compile_hook"):
        runtime.jit_post_compile_hook = hook
