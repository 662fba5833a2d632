/* results/journal/crc32c.c - the checksum of journal records: CRC-32C
 * (Castagnoli) */
#include "results/journal/crc32c.h"

#include <pthread.h>
#include <string.h>

enum { POLYNOMIAL = (int)0x82f63b78u };

/* table[0] folds one byte; table[k] folds a byte that k more will follow. */
static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;

        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ (uint32_t)POLYNOMIAL : c >> 1;
        table[0][i] = c;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++)
            table[k][i] =
                table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xff];
}

uint32_t osw_crc32c_table(uint32_t crc, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint32_t c = ~crc;

    pthread_once(&table_once, make_table);
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t v;

        memcpy(&v, p, sizeof(v));
        v ^= c;
        c = 0;
        for (int k = 0; k < 8; k++)
            c ^= table[7 - k][v >> 8 * k & 0xff];
    }
    while (bytes--)
        c = c >> 8 ^ table[0][(c ^ *p++) & 0xff];
    return ~c;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t
crc_sse42(uint32_t crc, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint64_t c = (uint32_t)~crc;

    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t v;

        memcpy(&v, p, sizeof(v));
        c = _mm_crc32_u64(c, v);
    }
    while (bytes--)
        c = _mm_crc32_u8((uint32_t)c, *p++);
    return (uint32_t)~c;
}

uint32_t osw_crc32c(uint32_t crc, const void *data, size_t bytes)
{
    return __builtin_cpu_supports("sse4.2")
               ? crc_sse42(crc, data, bytes)
               : osw_crc32c_table(crc, data, bytes);
}
#else
uint32_t osw_crc32c(uint32_t crc, const void *data, size_t bytes)
{
    return osw_crc32c_table(crc, data, bytes);
}
#endif
