# opsweep_record.py writes down which operators of torch a program calls.
#
# takes 10 s
python=$(python_with torch) || skip "no python3 with torch"

cat >"$TMP/train.py" <<'PY'
import sys
import torch

net = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU())
for _ in range(int(sys.argv[1])):
    x = torch.ones(3, 8).t().contiguous().t()
    net(x).split(2, 1)[0].sum().item()
    net(x).sum().backward()
    torch.relu(torch.ones(9, 5)[1])
torch.multinomial(torch.ones(4), 2, generator=torch.Generator())
if len(sys.argv) > 2:
    sys.exit(int(sys.argv[2]))
PY
record=("$python" "$B/python/opsweep_record.py" -o "$TMP/calls.txt" "$TMP/train.py")
expect_exit 0 "${record[@]}" 2
expect_err "calls.txt: [0-9]* operators, [0-9]* cases, [0-9]* calls"
expect_err "left out: aten.multinomial.default: .*Generator has no notation"

# What one step of it calls, by hand; views and .item() are none of them.
expect_exit 0 "$OPSWEEP" parse --trace "$TMP/calls.txt"
grep -v uniform_ "$TMP/out" | grep -v '0.35355' >"$TMP/found"
cat >"$TMP/expected" <<'TXT'
Operator: aten.add_.Tensor
cnt: 1, ((T([4], f32), T([4], f32)), {})
cnt: 1, ((T([4, 8], f32), T([4, 8], f32)), {})
Operator: aten.addmm.default
cnt: 4, ((T([4], f32), T([3, 8], f32, stride=(1, 3)), T([8, 4], f32, stride=(1, 8))), {})
Operator: aten.clone.default
cnt: 2, ((T([8, 3], f32, stride=(1, 8)),), {'memory_format': torch.contiguous_format})
Operator: aten.mm.default
cnt: 2, ((T([4, 3], f32, stride=(1, 4)), T([3, 8], f32, stride=(1, 3))), {})
Operator: aten.relu.default
cnt: 4, ((T([3, 4], f32),), {})
cnt: 2, ((T([5], f32),), {})
Operator: aten.split.Tensor
cnt: 2, ((T([3, 4], f32), 2, 1), {})
Operator: aten.sum.default
cnt: 2, ((T([3, 2], f32, stride=(4, 1)),), {})
cnt: 2, ((T([3, 4], f32),), {})
Operator: aten.sum.dim_IntList
cnt: 2, ((T([3, 4], f32), [0], True), {})
Operator: aten.threshold_backward.default
cnt: 2, ((T([3, 4], f32, stride=(0, 0)), T([3, 4], f32), 0), {})
TXT
expect_equal "$(cat "$TMP/expected")" "$(cat "$TMP/found")" "the trace"

# It is a trace of the suite, also when the program ended early.
expect_exit 3 "${record[@]}" 1 3
expect_exit 0 "$OPSWEEP" list --coverage --traces "$TMP/calls.txt" --python "$python"
expect_out "aten.addmm.default  *1  *2"

# A part of a program, without values.
cat >"$TMP/part.py" <<'PY'
import sys
import torch
import opsweep_record
from torch._subclasses.fake_tensor import FakeTensorMode

with FakeTensorMode():
    x = torch.ones(1 << 20, 1 << 20)
    with opsweep_record.Calls() as calls:
        x.mul(2)
    x.mul(3)
calls.write(sys.argv[1])
PY
expect_exit 0 env PYTHONPATH="$B/python" "$python" "$TMP/part.py" "$TMP/part.txt"
expect_equal "Operator: aten.mul.Tensor
cnt: 1, ((T([1048576, 1048576], f32), 2), {})" "$(cat "$TMP/part.txt")" "a part"
