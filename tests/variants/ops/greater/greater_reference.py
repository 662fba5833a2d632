"""a > b."""


def greater_reference(a, b):
    return a > b
