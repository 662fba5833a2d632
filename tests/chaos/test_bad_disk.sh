# tests/chaos/test_bad_disk.sh - a disk that fails at random
#
# takes 15 s
. tests/chaos/chaos.sh
chaos --faults 6 --seed 3 --cells 200 --only io
