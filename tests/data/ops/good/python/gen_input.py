def get_correctness_tests():
    return []
