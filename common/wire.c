/* common/wire.c - the assumption behind common/wire.h */
#include "common/wire.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "messages, journal and sandbox protocol are written little-endian"
#endif

_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "IEEE sizes");
