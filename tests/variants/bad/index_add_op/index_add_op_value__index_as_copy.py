"""Wrong: overwrites instead of adding."""


def index_add_op_kernel_impl(x, index, source):
    y = x * 1
    y[index] = x[index] + source
    return y
