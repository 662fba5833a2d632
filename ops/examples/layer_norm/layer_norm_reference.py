"""layer_norm_reference.py - (x - mean) / deviation, scaled, along the last dimension"""
import torch


def layer_norm_reference(x, weight, bias, eps):
    y = torch.nn.functional.layer_norm(
        x.double(), x.shape[-1:], weight.double(), bias.double(), eps)
    return y.to(x.dtype)
