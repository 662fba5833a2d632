"""Wrong: 0 - 0 is +0, not -0."""


def neg_kernel_impl(x):
    return x.dtype.type(0) - x
