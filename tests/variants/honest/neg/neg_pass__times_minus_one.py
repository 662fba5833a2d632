"""x * -1."""


def neg_kernel_impl(x):
    return x * x.dtype.type(-1)
