/* nsum/nsum_crash__one_rank.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_crash__one_rank.c"
}
