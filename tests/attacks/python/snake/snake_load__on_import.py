"""It cannot be imported."""
raise RuntimeError("no " + "\n\"," * 100000)
