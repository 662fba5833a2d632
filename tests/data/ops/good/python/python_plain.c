/* python_plain.c - an implementation without declared cases */
