/* common/wire.c - what common/wire.h assumes of the machine */
#include "common/wire.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "messages, journal and sandbox protocol are written little-endian"
#endif

_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "IEEE sizes");
