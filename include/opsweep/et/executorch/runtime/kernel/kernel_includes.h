/* executorch/runtime/kernel/kernel_includes.h */
#include <opsweep/executorch_types.h>
