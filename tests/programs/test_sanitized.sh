# Unit tests, and what fuzzers have found, built with ASan and UBSan.
#
# takes 100 s
# stopped after 1800 s

. tests/programs/lib.sh
unset B # where others are built
export TEST_TIMEOUT=${TEST_TIMEOUT:-900} # of one program
made SAN=1 check-unit check-replay
