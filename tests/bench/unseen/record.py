# tests/bench/unseen/record.py - record a training step of each model
#
#     PYTHONPATH=BUILD/python python3 record.py FOLDER [MODEL...]
#
# writes forward and backward to FOLDER/seen/MODEL.txt or FOLDER/unseen/MODEL.txt,
# and AdamW's step to FOLDER/seen_adamw/ or FOLDER/unseen_adamw/.  Tensors are
# fake: nothing is computed; they hold values where a model reads some.  Each
# model has a process of its own.  Needs torch, torchvision, timm, transformers,
# diffusers.
import importlib
import multiprocessing
import os
import sys
import time

from torch._subclasses.fake_tensor import FakeTensorMode

import models
import opsweep_record

TIMEOUT_S = 400


def write(calls, folder, kind, name):
    os.makedirs(os.path.join(folder, kind), exist_ok=True)
    calls.write(os.path.join(folder, kind, name + ".txt"))
    print("%s/%s: %s" % (kind, name, "\n  ".join(calls.summary())), flush=True)


def forward_and_backward(name):
    model, inputs, loss = {**models.SEEN, **models.UNSEEN}[name]()
    model.train()
    with opsweep_record.Calls() as calls:
        out = model(**inputs) if isinstance(inputs, dict) else model(*inputs)
        loss(out).backward()
    return model, calls


def with_fake_tensors(name):
    with FakeTensorMode(allow_non_fake_inputs=True):
        return forward_and_backward(name)


def record(folder, name):
    kind = "seen" if name in models.SEEN else "unseen"
    models.torch.manual_seed(1)
    try:
        model, calls = with_fake_tensors(name)
    except Exception as e:
        print("%s: with values: %s" % (name, str(e).split("\n")[0][:200]),
              flush=True)
        try:
            model, calls = forward_and_backward(name)
        except Exception as e:
            sys.exit("%s: %s" % (name, e))
    write(calls, folder, kind, name)
    optimizer = models.torch.optim.AdamW(model.parameters(), foreach=False)
    with opsweep_record.Calls() as calls:
        optimizer.step()
    write(calls, folder, kind + "_adamw", name)


def import_once():
    """What most models import, and takes longest."""
    for name in ("torchvision.models.detection", "timm", "diffusers.models",
                 "transformers.models.t5.modeling_t5",
                 "diffusers.models.unets.unet_2d"):
        importlib.import_module(name)


def main():
    folder = sys.argv[1]
    import_once()
    for name in sys.argv[2:] or list(models.SEEN) + list(models.UNSEEN):
        one = multiprocessing.get_context("fork").Process(
            target=record, args=(folder, name))
        began = time.monotonic()
        one.start()
        one.join(TIMEOUT_S)
        if one.is_alive():
            one.kill()
        one.join()
        print("%s: %s after %.0f s" % (
            name, "not recorded" if one.exitcode else "recorded",
            time.monotonic() - began), flush=True)


if __name__ == "__main__":
    main()
