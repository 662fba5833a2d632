/* ops/record/device_info.c - what a worker computes on, and whether it is
 * usable
 */
#include "ops/record/device_info.h"

#include <math.h>
#include <string.h>

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

#define AT(field) offsetof(struct osw_device_info, field)
static const struct osw_device_column columns[] = {
#define X(wire, ctype, field, unit, words)                                     \
    {.name = #field,                                                           \
     .units = unit,                                                            \
     .text = words,                                                            \
     .type = OSW_COLUMN_##wire,                                                \
     .offset = AT(field)},
#define T(bytes, field, words)                                                 \
    {.name = #field, .text = words, .offset = AT(field), .size = bytes},
    OSW_DEVICE_INFO_MAP(X, T)
#undef X
#undef T
};
#undef AT

const struct osw_device_column *osw_device_info_columns(size_t *n)
{
    *n = N_ELEM(columns);
    return columns;
}

void osw_device_info_init(struct osw_device_info *info)
{
    memset(info, 0, sizeof(*info));
    info->index = -1;
    info->max_clock_mhz = info->max_memory_clock_mhz = NAN;
    info->launch_ns = info->launch_part = NAN;
    memcpy(info->health, "ok", sizeof("ok"));
}

bool osw_device_info_fit(const struct osw_device_info *info)
{
    return strcmp(info->health, "ok") == 0;
}

void osw_device_info_encode(const struct osw_device_info *info,
                            struct osw_writer *w)
{
#define X(wire, type, field, units, text) osw_write_##wire(w, info->field);
#define T(size, field, text)              osw_write_str(w, info->field);
    OSW_DEVICE_INFO_MAP(X, T)
#undef X
#undef T
}

static int read_text(struct osw_reader *r, char *out, size_t size,
                     const char *name, struct osw_error *err)
{
    const char *text = osw_read_str(r);
    size_t n = strlen(text);

    if (n >= size)
        return osw_fail(err, OSW_PROTOCOL,
                        "'%s' of a device has %zu bytes, at most %zu", name, n,
                        size - 1);
    memcpy(out, text, n + 1);
    return 0;
}

static int ends_early(const struct osw_reader *r, const char *name,
                      struct osw_error *err)
{
    return r->overrun
               ? osw_fail(err, OSW_PROTOCOL, "device ends in column '%s'", name)
               : 0;
}

int osw_device_info_decode(struct osw_reader *r, struct osw_device_info *out,
                           struct osw_error *err)
{
    struct osw_device_info got;

    memset(&got, 0, sizeof(got));
#define X(wire, type, field, units, text)                                      \
    got.field = osw_read_##wire(r);                                            \
    if (ends_early(r, #field, err) < 0)                                        \
        return -1;
#define T(size, field, text)                                                   \
    if (read_text(r, got.field, size, #field, err) < 0 ||                      \
        ends_early(r, #field, err) < 0)                                        \
        return -1;
    OSW_DEVICE_INFO_MAP(X, T)
#undef X
#undef T
    *out = got;
    return 0;
}
