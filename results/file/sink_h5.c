/* results/file/sink_h5.c - an HDF5 file driver that can fail and be closed */
#include "results/file/sink_h5.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

/* What a property list carries. */
struct info {
    struct osw_sink *sink;
};

struct driver_file {
    H5FD_t base; /* first: HDF5 sees only this */
    struct osw_sink *sink;
    haddr_t eoa, eof; /* end of what is allocated, of what is written */
};

static H5FD_t *sink_open(const char *name, unsigned flags, hid_t fapl,
                         haddr_t max)
{
    const struct info *info = H5Pget_driver_info(fapl);
    struct driver_file *f = info ? calloc(1, sizeof(*f)) : NULL;

    (void)name;
    (void)flags;
    (void)max;
    if (!f)
        return NULL;
    f->sink = info->sink;
    f->eof = (haddr_t)lseek(f->sink->fd, 0, SEEK_END);
    return &f->base;
}

static herr_t sink_close(H5FD_t *file)
{
    free(file); /* the descriptor is the caller's */
    return 0;
}

static herr_t sink_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
             H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t sink_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const struct driver_file *)file)->eoa;
}

static herr_t sink_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t addr)
{
    (void)type;
    ((struct driver_file *)file)->eoa = addr;
    return 0;
}

static haddr_t sink_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const struct driver_file *)file)->eof;
}

/* Bytes past the end read as zeros. */
static herr_t sink_read(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t addr,
                        size_t size, void *buffer)
{
    const struct driver_file *f = (const struct driver_file *)file;
    char *p = buffer;

    (void)type;
    (void)dxpl;
    while (size) {
        ssize_t n = pread(f->sink->fd, p, size, (off_t)addr);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0) {
            memset(p, 0, size);
            break;
        }
        p += n;
        addr += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

static herr_t sink_write(H5FD_t *file, H5FD_mem_t type, hid_t dxpl,
                         haddr_t addr, size_t size, const void *buffer)
{
    struct driver_file *f = (struct driver_file *)file;
    const char *p = buffer;

    (void)type;
    (void)dxpl;
    if (addr + size > f->eof)
        f->eof = addr + size;
    while (size && !f->sink->errnum) {
        ssize_t n = pwrite(f->sink->fd, p, size, (off_t)addr);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            f->sink->errnum = n < 0 ? errno : EIO;
            break;
        }
        p += n;
        addr += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

static herr_t sink_truncate(H5FD_t *file, hid_t dxpl, hbool_t closing)
{
    struct driver_file *f = (struct driver_file *)file;

    (void)dxpl;
    (void)closing;
    if (f->eoa != f->eof && !f->sink->errnum &&
        ftruncate(f->sink->fd, (off_t)f->eoa))
        f->sink->errnum = errno;
    f->eof = f->eoa;
    return 0;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600,
#endif
    .name = "opsweep_sink",
    .maxaddr = ((haddr_t)1 << 62) - 1,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(struct info),
    .open = sink_open,
    .close = sink_close,
    .query = sink_query,
    .get_eoa = sink_get_eoa,
    .set_eoa = sink_set_eoa,
    .get_eof = sink_get_eof,
    .read = sink_read,
    .write = sink_write,
    .truncate = sink_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

int osw_sink_use(hid_t fapl, struct osw_sink *sink)
{
    static hid_t id = -1;
    struct info info = {sink};

    if (H5Iget_type(id) != H5I_VFL)
        id = H5FDregister(&driver);
    return id < 0 || H5Pset_driver(fapl, id, &info) < 0 ? -1 : 0;
}
