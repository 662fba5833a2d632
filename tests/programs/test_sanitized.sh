# Unit tests, and what fuzzers have found, built with ASan and UBSan.
#
# takes 100 s
# stopped after 1800 s

. tests/programs/lib.sh
unset B # where others are built
made SAN=1 check-unit check-replay
