/* results/file/pack.c - what HDF5's filters shuffle + deflate make of a chunk
 */
#include "results/file/pack.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Byte k of each value together: plane k. */
static void shuffle(const unsigned char *in, unsigned char *out, size_t n,
                    size_t item, size_t chunk_n)
{
    for (size_t k = 0; k < item; k++) {
        for (size_t i = 0; i < n; i++)
            out[k * chunk_n + i] = in[i * item + k];
        memset(out + k * chunk_n + n, 0, chunk_n - n);
    }
}

/* Would deflate find nothing in these bytes?  All values are about as frequent
 * as in random bytes, and they are no counter, which has period 256.
 */
static bool is_noise(const unsigned char *p, size_t n)
{
    enum { VALUES = 256, MIN_BYTES = 4096 };
    uint32_t count[VALUES] = {0};
    double squares = 0;
    size_t same = 0;

    if (n < MIN_BYTES)
        return false;
    for (size_t i = 0; i < n; i++)
        count[p[i]]++;
    for (int v = 0; v < VALUES; v++)
        squares += (double)count[v] * count[v];
    if (squares * VALUES > 1.05 * (double)n * (double)n)
        return false;
    for (size_t i = VALUES; i < n; i++)
        same += p[i] == p[i - VALUES];
    return same < n / 32;
}

/* Deflate one plane after the other.  Mantissas are noise, and storing them is
 * ten times faster than finding that out; every inflate reads what comes out.
 * Returns the bytes written to out[size], 0: no memory.
 */
static size_t deflate_planes(unsigned char *in, size_t n_planes, size_t plane,
                             unsigned char *out, size_t size)
{
    z_stream z = {.next_out = out, .avail_out = (uInt)size};
    size_t bytes = 0;
    bool ok;

    if (deflateInit(&z, OSW_PACK_LEVEL) != Z_OK)
        return 0;
    ok = true;
    for (size_t k = 0; ok && k < n_planes; k++) {
        int level = is_noise(in + k * plane, plane) ? 0 : OSW_PACK_LEVEL;

        ok = deflateParams(&z, level, Z_DEFAULT_STRATEGY) == Z_OK;
        z.next_in = in + k * plane;
        z.avail_in = (uInt)plane;
        ok = ok && deflate(&z, Z_NO_FLUSH) == Z_OK && z.avail_in == 0;
    }
    if (ok && deflate(&z, Z_FINISH) == Z_STREAM_END)
        bytes = z.total_out;
    deflateEnd(&z);
    return bytes;
}

unsigned char *osw_pack(const void *values, size_t n, size_t item,
                        size_t chunk_n, size_t *bytes)
{
    size_t plain = chunk_n * item;
    /* each change of level may end a block */
    size_t size = compressBound((uLong)plain) + 64 * item;
    unsigned char *shuffled = malloc(plain + 1);
    unsigned char *out = malloc(size);

    *bytes = 0;
    if (shuffled && out) {
        shuffle(values, shuffled, n, item, chunk_n);
        *bytes = deflate_planes(shuffled, item, chunk_n, out, size);
    }
    free(shuffled);
    if (*bytes)
        return out;
    free(out);
    return NULL;
}
