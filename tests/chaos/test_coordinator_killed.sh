# tests/chaos/test_coordinator_killed.sh - again and again, at random
#
# mostly waits: for an op that sleeps
# takes 30 s
. tests/chaos/chaos.sh
chaos --faults 8 --seed 2 --cells 200 --only coordinator
