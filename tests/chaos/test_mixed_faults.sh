# tests/chaos/test_mixed_faults.sh - faults of every kind in a campaign
#
# mostly waits: for an op that sleeps
# takes 35 s
. tests/chaos/chaos.sh
chaos --faults 16 --seed 1 --cells 300
