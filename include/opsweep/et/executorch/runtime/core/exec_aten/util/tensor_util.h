/* executorch/runtime/core/exec_aten/util/tensor_util.h */
#include <opsweep/executorch_types.h>
