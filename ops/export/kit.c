/* ops/export/kit.c - files that every package has as they are */
#include "ops/export/kit.h"

static const unsigned char export_h[] = {
#include "ops/export/kit/export.h.inc"
};
static const unsigned char export_prepared_h[] = {
#include "ops/export/kit/export_prepared.h.inc"
};
static const unsigned char export_torch_h[] = {
#include "ops/export/kit/export_torch.h.inc"
};
static const unsigned char export_executorch_h[] = {
#include "ops/export/kit/export_executorch.h.inc"
};
static const unsigned char export_tvm_h[] = {
#include "ops/export/kit/export_tvm.h.inc"
};
static const unsigned char expressions_py[] = {
#include "ops/export/kit/expressions.py.inc"
};
static const unsigned char runtime_py[] = {
#include "ops/export/kit/runtime.py.inc"
};
static const unsigned char test_ops_py[] = {
#include "ops/export/kit/test_ops.py.inc"
};

const struct osw_export_kit_file osw_export_kit[] = {
    {"csrc/include/opsweep/export.h", export_h, sizeof(export_h)},
    {"csrc/include/opsweep/export_prepared.h", export_prepared_h,
     sizeof(export_prepared_h)},
    {"csrc/include/opsweep/export_torch.h", export_torch_h,
     sizeof(export_torch_h)},
    {"csrc/include/opsweep/export_executorch.h", export_executorch_h,
     sizeof(export_executorch_h)},
    {"csrc/include/opsweep/export_tvm.h", export_tvm_h, sizeof(export_tvm_h)},
    {"%s/_expressions.py", expressions_py, sizeof(expressions_py)},
    {"%s/_runtime.py", runtime_py, sizeof(runtime_py)},
    {"tests/test_ops.py", test_ops_py, sizeof(test_ops_py)},
    {NULL, NULL, 0},
};
