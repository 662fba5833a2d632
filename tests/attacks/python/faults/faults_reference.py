"""faults_reference.py - The honest product."""
import numpy


def faults_reference(x, a):
    return x * numpy.asarray(a, x.dtype)
