/* executorch/runtime/core/exec_aten/exec_aten.h */
#include <opsweep/executorch_types.h>
