# tests/chaos/test_mixed_faults.sh - faults of every kind in a campaign
#
# takes 35 s
. tests/chaos/chaos.sh
chaos --faults 16 --seed 1 --cells 300
