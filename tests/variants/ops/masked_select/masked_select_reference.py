"""x[mask]."""


def masked_select_reference(x, mask):
    return x[mask]
