# opsweep_compile.py - torch's own operators through torch.compile
#
# Asked for "aten.mm.default_kernel_impl" it gives torch.ops.aten.mm.default
# compiled, anew for every case, in this process alone.
import os

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

import torch  # noqa: E402

from opsweep_aten import by_name, find  # noqa: E402

MANY = 1 << 16  # cases that one process may see


def compiled(name):
    if not hasattr(torch, "compile"):
        raise ImportError("torch.compile needs torch 2.0 or newer, found %s" %
                          torch.__version__)
    op = find(name)
    config = torch._dynamo.config
    for limit in ("cache_size_limit", "recompile_limit",
                  "accumulated_cache_size_limit",
                  "accumulated_recompile_limit"):
        if hasattr(config, limit):
            setattr(config, limit, MANY)

    def call(*args, **kwargs):
        return op(*args, **kwargs)

    return torch.compile(call, fullgraph=True, dynamic=False)


__getattr__ = by_name(compiled)
