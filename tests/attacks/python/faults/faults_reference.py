"""faults_reference.py - The honest product."""


def faults_reference(x, a):
    return x * a
