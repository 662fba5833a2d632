/* ngather/ngather_value__own_everywhere.cu - as the C file */
#include "ngather.h"

extern "C" {
#include "ngather_value__own_everywhere.c"
}
