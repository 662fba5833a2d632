/* executorch/runtime/core/error.h */
#include <opsweep/executorch_types.h>
