/* results/file/footer.c - a checksum at the end of a file */
#include "results/file/footer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/wire.h"
#include "results/journal/crc32c.h"

enum {
    BLOCK = 128 << 10,  /* larger ones read no faster */
    MAX_WRONG_BITS = 8, /* of 64, in a damaged magic */
};

static const char magic[8] = {'O', 'S', 'W', 'F', 'O', 'O', 'T', '1'};

struct footer {
    uint64_t bytes; /* in front of it */
    uint32_t crc;   /* of them */
};

static void encode(const struct footer *f, unsigned char out[OSW_FOOTER_BYTES])
{
    struct osw_writer w = osw_writer(out, OSW_FOOTER_BYTES);

    memcpy(osw_write_raw(&w, sizeof(magic)), magic, sizeof(magic));
    osw_write_u64(&w, f->bytes);
    osw_write_u32(&w, f->crc);
    osw_write_u32(&w, osw_crc32c(0, out, OSW_FOOTER_BYTES - 4));
}

enum found { NONE, DAMAGED, WHOLE };

static unsigned count_wrong_bits(const unsigned char *found)
{
    unsigned n = 0;

    for (size_t i = 0; i < sizeof(magic); i++)
        n += (unsigned)__builtin_popcount(found[i] ^ (unsigned char)magic[i]);
    return n;
}

/* The end of a file with so many bytes in front of it.  Other programs' files
 * end neither in something like the magic nor in that number.
 */
static enum found decode(const unsigned char in[OSW_FOOTER_BYTES],
                         uint64_t n_bytes, struct footer *f)
{
    struct osw_reader r = osw_reader(in, OSW_FOOTER_BYTES);
    unsigned n_wrong = count_wrong_bits(osw_read_raw(&r, sizeof(magic)));
    bool fits;

    f->bytes = osw_read_u64(&r);
    f->crc = osw_read_u32(&r);
    fits = f->bytes == n_bytes;
    if (n_wrong == 0 && fits &&
        osw_read_u32(&r) == osw_crc32c(0, in, OSW_FOOTER_BYTES - 4))
        return WHOLE;
    return n_wrong <= MAX_WRONG_BITS || fits ? DAMAGED : NONE;
}

/* Is it the end of a file that lost the end of its footer?  Not sure when less
 * than the magic is left: then all else is there.
 */
static bool is_cut(const unsigned char in[OSW_FOOTER_BYTES])
{
    for (size_t lost = 1; lost <= OSW_FOOTER_BYTES - sizeof(magic); lost++)
        if (memcmp(in + lost, magic, sizeof(magic)) == 0)
            return true;
    return false;
}

static int read_at(int fd, void *data, size_t n, uint64_t at)
{
    char *p = data;

    while (n) {
        ssize_t got = pread(fd, p, n, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO;
        if (got <= 0)
            return -1;
        p += got;
        at += (uint64_t)got;
        n -= (size_t)got;
    }
    return 0;
}

/* CRC of the first f->bytes bytes into f->crc.  -1: errno says why. */
static int sum_up(int fd, struct footer *f)
{
    unsigned char *block = malloc(BLOCK);
    int rc = block ? 0 : -1;

    f->crc = 0;
    for (uint64_t at = 0; rc == 0 && at < f->bytes; at += BLOCK) {
        size_t n = f->bytes - at < BLOCK ? (size_t)(f->bytes - at) : BLOCK;

        rc = read_at(fd, block, n, at);
        if (rc == 0)
            f->crc = osw_crc32c(f->crc, block, n);
    }
    free(block);
    return rc;
}

int osw_footer_append(int fd)
{
    unsigned char bytes[OSW_FOOTER_BYTES];
    struct footer f;
    struct stat st;
    ssize_t n;

    if (fstat(fd, &st))
        return -1;
    f.bytes = (uint64_t)st.st_size;
    if (sum_up(fd, &f))
        return -1;
    encode(&f, bytes);
    n = pwrite(fd, bytes, sizeof(bytes), st.st_size);
    if (n >= 0 && n != OSW_FOOTER_BYTES)
        errno = ENOSPC;
    return n == OSW_FOOTER_BYTES ? 0 : -1;
}

int osw_footer_check(int fd, const char *path, struct osw_error *err)
{
    unsigned char bytes[OSW_FOOTER_BYTES];
    struct footer said, found;
    struct stat st;

    if (fstat(fd, &st))
        return osw_fail_sys(err, errno, "cannot read '%s'", path);
    if (!S_ISREG(st.st_mode) || st.st_size < OSW_FOOTER_BYTES)
        return 1;
    found.bytes = (uint64_t)st.st_size - OSW_FOOTER_BYTES;
    if (read_at(fd, bytes, sizeof(bytes), found.bytes))
        return osw_fail_sys(err, errno, "cannot read '%s'", path);
    if (is_cut(bytes))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is truncated: its last bytes are missing", path);
    switch (decode(bytes, found.bytes, &said)) {
    case NONE:
        return 1;
    case DAMAGED:
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is damaged: its last %d bytes should hold its "
                        "size and checksum",
                        path, OSW_FOOTER_BYTES);
    case WHOLE:
        break;
    }
    if (sum_up(fd, &found))
        return errno == ENOMEM
                   ? osw_fail(err, OSW_NO_MEMORY, "no memory to read '%s'",
                              path)
                   : osw_fail_sys(err, errno, "cannot read '%s'", path);
    if (said.crc != found.crc)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is damaged: its checksum is %08" PRIx32
                        ", expected %08" PRIx32,
                        path, found.crc, said.crc);
    return 0;
}
