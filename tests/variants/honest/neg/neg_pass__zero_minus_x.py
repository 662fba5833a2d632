"""0 - x: +0 where x is 0, which equals -0 but for --signed-zero."""


def neg_kernel_impl(x):
    return 0 - x
