/* pair_pass__plain.c - keeps nothing */
#define first_kernel_impl pair_kernel_impl
#include "../first/first_pass__plain.c"
