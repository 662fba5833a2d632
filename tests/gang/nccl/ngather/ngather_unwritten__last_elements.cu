/* ngather/ngather_unwritten__last_elements.cu - as the C file */
#include "ngather.h"

extern "C" {
#include "ngather_unwritten__last_elements.c"
}
