/* ngather/ngather_pass__by_rank.cu - as the C file */
#include "ngather.h"

extern "C" {
#include "ngather_pass__by_rank.c"
}
