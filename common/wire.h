/* common/wire.h - bounded little-endian writing and reading of messages
 *
 * One pair of cursors serves MPI messages, the sandbox protocol and the
 * journal.  Both are sticky: after the first overrun every call is a no-op
 * that yields 0, so that a decoder checks once, at its end.
 */
#ifndef OSW_COMMON_WIRE_H
#define OSW_COMMON_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct osw_writer {
    unsigned char *data; /* borrowed */
    size_t size;
    size_t used;
    bool overrun; /* something did not fit */
};

struct osw_reader {
    const unsigned char *data; /* borrowed */
    size_t size;
    size_t used;
    bool overrun; /* something was not there, or a string had no end */
};

static inline struct osw_writer osw_writer(void *data, size_t size)
{
    return (struct osw_writer){.data = data, .size = size};
}

static inline struct osw_reader osw_reader(const void *data, size_t size)
{
    return (struct osw_reader){.data = data, .size = size};
}

/* Reserve n bytes; NULL when they do not fit. */
static inline void *osw_write_raw(struct osw_writer *w, size_t n)
{
    unsigned char *p;

    if (w->overrun || n > w->size - w->used) {
        w->overrun = true;
        return NULL;
    }
    p = w->data + w->used;
    w->used += n;
    return p;
}

/* Borrow the next n bytes; NULL when they are not there. */
static inline const void *osw_read_raw(struct osw_reader *r, size_t n)
{
    const unsigned char *p;

    if (r->overrun || n > r->size - r->used) {
        r->overrun = true;
        return NULL;
    }
    p = r->data + r->used;
    r->used += n;
    return p;
}

/* All targets are little-endian; checked once in wire.c. */
#define OSW_WIRE_SCALAR(suffix, type)                                          \
    static inline void osw_write_##suffix(struct osw_writer *w, type v)        \
    {                                                                          \
        void *p = osw_write_raw(w, sizeof(v));                                 \
        if (p)                                                                 \
            memcpy(p, &v, sizeof(v));                                          \
    }                                                                          \
    static inline type osw_read_##suffix(struct osw_reader *r)                 \
    {                                                                          \
        type v = 0;                                                            \
        const void *p = osw_read_raw(r, sizeof(v));                            \
        if (p)                                                                 \
            memcpy(&v, p, sizeof(v));                                          \
        return v;                                                              \
    }
OSW_WIRE_SCALAR(u8, uint8_t)
OSW_WIRE_SCALAR(u16, uint16_t)
OSW_WIRE_SCALAR(u32, uint32_t)
OSW_WIRE_SCALAR(u64, uint64_t)
OSW_WIRE_SCALAR(i32, int32_t)
OSW_WIRE_SCALAR(i64, int64_t)
OSW_WIRE_SCALAR(f32, float)
OSW_WIRE_SCALAR(f64, double)
#undef OSW_WIRE_SCALAR

/* A string of at most 65,535 bytes: u16 length, bytes, a NUL that makes the
 * bytes readable in place.  A longer one is cut.
 */
static inline void osw_write_str(struct osw_writer *w, const char *s)
{
    size_t n = s ? strlen(s) : 0;
    unsigned char *p;

    if (n > UINT16_MAX)
        n = UINT16_MAX;
    osw_write_u16(w, (uint16_t)n);
    p = osw_write_raw(w, n + 1);
    if (!p)
        return;
    if (n)
        memcpy(p, s, n);
    p[n] = '\0';
}

/* Borrows from the message; "" after an overrun, never NULL. */
static inline const char *osw_read_str(struct osw_reader *r)
{
    size_t n = osw_read_u16(r);
    const char *p = osw_read_raw(r, n + 1);

    if (p && (p[n] != '\0' || memchr(p, '\0', n))) {
        r->overrun = true;
        p = NULL;
    }
    return p ? p : "";
}

/* True when everything was read, and nothing was left over. */
static inline bool osw_reader_done(const struct osw_reader *r)
{
    return !r->overrun && r->used == r->size;
}

#endif /* OSW_COMMON_WIRE_H */
