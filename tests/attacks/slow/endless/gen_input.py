"""It never ends."""


def get_correctness_tests():
    while True:
        pass
