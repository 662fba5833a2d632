/* ngather/ngather_value__reversed.cu - as the C file */
#include "ngather.h"

extern "C" {
#include "ngather_value__reversed.c"
}
