/* ops/record/device_info.h - what a worker computes on, and whether it is
 * usable
 *
 * One table of columns makes the struct, its encoding for messages and the
 * journal, and the datasets of /devices.  To add a column, write one line.
 *
 * Upstream: worker/device_check.c fills it.  Downstream:
 * mpi_runner/transport/msg.h carries it, results/ stores it.  Pure.
 */
#ifndef OSW_OPS_DEVICE_INFO_H
#define OSW_OPS_DEVICE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/wire.h"
#include "ops/record/record.h"

/* X(wire type, C type, field, units, description) is a number, T(bytes with
 * the NUL, field, description) a text; in the file's order.  Missing: NaN for
 * floats, -1 for index, 0 for other integers, "" for texts.
 */
/* clang-format off */
#define OSW_DEVICE_INFO_MAP(X, T)                                              \
    T(16,  kind,       "kind of device: cpu, cuda")                            \
    X(i32, int32_t, index, "1", "its number among those that the worker sees") \
    T(64,  uuid,       "of the GPU, the same in every process; empty on a processor") \
    T(128, name,       "name of the device, as its maker gives it")            \
    T(80,  driver,     "version of its driver")                                \
    T(16,  runtime,    "version of the CUDA toolkit whose runtime is used")    \
    T(16,  driver_cuda, "newest CUDA that the driver can run")                 \
    T(16,  capability, "compute capability")                                   \
    X(u32, uint32_t, cores, "1", "cores of a processor, multiprocessors of a GPU") \
    X(u64, uint64_t, memory_bytes, "byte", "memory that it has")               \
    X(f64, double, max_clock_mhz, "MHz", "highest clock of its cores")         \
    X(f64, double, max_memory_clock_mhz, "MHz", "highest clock of its memory") \
    X(f64, double, launch_ns, "ns", "95 % of the ratios of two launches of the same code lie within launch_part + launch_ns / time: measured once per model and driver; NaN: not") \
    X(f64, double, launch_part, "1", "see launch_ns")                          \
    X(i64, int64_t, check_ns, "ns", "time that the checks took, opening it left out") \
    T(512, notes,      "what makes it worse than it could be, with the cure")  \
    T(512, health,     "ok, or why nothing is judged on it")
/* clang-format on */

struct osw_device_info {
#define X(wire, type, field, units, text) type field;
#define T(size, field, text)              char field[size];
    OSW_DEVICE_INFO_MAP(X, T)
#undef X
#undef T
};

enum { OSW_DEVICE_INFO_MAX_BYTES = 2048 }; /* bound on an encoded one */

struct osw_device_column {
    const char *name, *units, *text; /* units: NULL for a text */
    enum osw_column_type type;       /* of a number */
    size_t offset;                   /* in struct osw_device_info */
    size_t size;                     /* of a text; 0: it is a number */
};

/* The columns in order; *n is their number.  Static storage. */
const struct osw_device_column *osw_device_info_columns(size_t *n);

/* Everything missing, health "ok". */
void osw_device_info_init(struct osw_device_info *info);

/* Is it one of those that may be judged on? */
bool osw_device_info_fit(const struct osw_device_info *info);

/* Append to a message; check w->overrun afterwards. */
void osw_device_info_encode(const struct osw_device_info *info,
                            struct osw_writer *w);

/* Read untrusted bytes.  Returns 0, or -1 with err set (OSW_PROTOCOL) and *out
 * untouched; the text names the column.
 */
int osw_device_info_decode(struct osw_reader *r, struct osw_device_info *out,
                           struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_DEVICE_INFO_H */
