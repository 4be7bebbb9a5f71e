"""Bytes an element that autograd keeps of `down(activation(up(x)))` under CUDA's autocast, on tensors that have no memory.

Reads names of activations in transformers from standard input, as JSON; prints the bytes per element of the activation's width.
"""
import json
import sys

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from transformers.activations import ACT2FN

ROWS, WIDTH, HIDDEN = 64, 96, 32


def kept(name):
    found = {}
    with FakeTensorMode(), torch.device("cuda"):
        up, down = torch.nn.Linear(HIDDEN, WIDTH), torch.nn.Linear(WIDTH, HIDDEN)

        def keep(tensor):
            if tensor.shape[-1] == WIDTH and tensor.shape[0] == ROWS:
                storage = tensor.untyped_storage()
                found[storage._cdata] = (storage.nbytes(), tensor)
            return tensor

        x = torch.zeros(ROWS, HIDDEN)
        # `torch.autocast` turns itself off where there is no such device.
        torch.set_autocast_dtype("cuda", torch.bfloat16)
        torch.set_autocast_enabled("cuda", True)
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
            down(ACT2FN[name](up(x))).sum()
    return sum(size for size, _ in found.values()) / (ROWS * WIDTH)


print(json.dumps([kept(name) for name in json.load(sys.stdin)]))
