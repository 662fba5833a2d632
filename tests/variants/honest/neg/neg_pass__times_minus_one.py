"""x * -1."""


def neg_kernel_impl(x):
    return x * -1
