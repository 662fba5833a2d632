"""adamw__reference.py - one step of Adam with decoupled weight decay, in float64"""


def adamw__reference(weight, mean, square, gradient, step, rate, beta1, beta2, eps, decay):
    w, g = weight.double(), gradient.double()
    m = beta1 * mean.double() + (1 - beta1) * g
    v = beta2 * square.double() + (1 - beta2) * g * g
    m_hat, v_hat = m / (1 - beta1**step), v / (1 - beta2**step)
    w = w * (1 - rate * decay) - rate * m_hat / (v_hat.sqrt() + eps)
    return weight.copy_(w), mean.copy_(m), square.copy_(v)
