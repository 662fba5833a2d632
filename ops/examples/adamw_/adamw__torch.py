"""adamw__torch.py - by torch, in place: one tensor beside the arguments"""
import torch


def adamw__kernel_impl(weight, mean, square, gradient, step, rate, beta1, beta2, eps, decay):
    mean.lerp_(gradient, 1 - beta1)
    square.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
    below = torch.sqrt(square).div_((1 - beta2**step) ** 0.5).add_(eps)
    weight.mul_(1 - rate * decay)
    weight.addcdiv_(mean, below, value=-rate / (1 - beta1**step))
    return weight, mean, square
