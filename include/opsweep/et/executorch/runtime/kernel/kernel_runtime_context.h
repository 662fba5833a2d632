/* executorch/runtime/kernel/kernel_runtime_context.h */
#include <opsweep/executorch_types.h>
