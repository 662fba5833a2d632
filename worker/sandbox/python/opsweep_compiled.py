# opsweep_compiled.py - packages that ops import, and what these compile while ops
# run
import ast
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


def share_caches():
    """What is compiled is kept in the build cache, for all sandboxes of this
    node and of these versions; the variables overrule it.
    """
    base = os.environ.get("OPSWEEP_CACHE")
    if not base:
        base = os.environ.get("XDG_CACHE_HOME") or \
            os.path.join(os.path.expanduser("~"), ".cache")
        base = os.path.join(base, "opsweep")
    present = {module: importable(module) for _, module, _ in CACHES}
    for variable, module, folder in CACHES:
        if not present[module]:
            continue
        versions = ["python%d.%d" % sys.version_info[:2], version_of("torch"),
                    version_of("triton" if module == "torch" else module)]
        path = os.environ.get(variable) or os.path.join(
            base, folder, socket.gethostname(), "-".join(versions))
        try:
            os.makedirs(path, 0o700, exist_ok=True)
        except OSError:
            continue  # isolate() has another
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
