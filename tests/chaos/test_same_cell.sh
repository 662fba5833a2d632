# tests/chaos/test_same_cell.sh - the worker at one cell is killed again and again
#
# mostly waits: until ranks count as silent
# takes 60 s
. tests/chaos/chaos.sh
chaos --faults 8 --seed 5 --cells 30 --ms 200 --only again
