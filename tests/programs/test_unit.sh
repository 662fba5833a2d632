# Unit tests, and what fuzzers have found.
#
# takes 50 s

. tests/programs/lib.sh
made check-unit check-replay
