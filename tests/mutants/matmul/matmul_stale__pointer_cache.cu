/* matmul_stale__pointer_cache.cu - the same on a GPU */
#include "matmul_stale__pointer_cache.c"
