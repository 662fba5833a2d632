/* ngather/ngather_value__from_own_rank_on.cu - as the C file */
#include "ngather.h"

extern "C" {
#include "ngather_value__from_own_rank_on.c"
}
