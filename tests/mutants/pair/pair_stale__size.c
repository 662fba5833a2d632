/* pair_stale__size.c - does as much as its first case needs, or less */
#define first_kernel_impl pair_kernel_impl
#include "../first/first_stale__size.c"
