/* executorch/runtime/core/exec_aten/util/scalar_type_util.h */
#include <opsweep/executorch_types.h>
