"""adamw__plain.py - by torch, with a tensor for each step"""


def adamw__kernel_impl(weight, mean, square, gradient, step, rate, beta1, beta2, eps, decay):
    mean.copy_(beta1 * mean + (1 - beta1) * gradient)
    square.copy_(beta2 * square + (1 - beta2) * gradient * gradient)
    m_hat, v_hat = mean / (1 - beta1**step), square / (1 - beta2**step)
    weight.copy_(weight * (1 - rate * decay) - rate * m_hat / (v_hat.sqrt() + eps))
    return weight, mean, square
