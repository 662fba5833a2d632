/* mpi_runner/doctor/doctor.h - can this node run a campaign, and what is wrong?
 *
 * A check is a row of the table in doctor.c: a name, how bad it is when it
 * does not hold, and a function that says what it found.  Files by subject:
 * doctor_node.c (the machine), doctor_tools.c (programs), doctor_h5.c (result
 * files), doctor_gpu.c (what the driver says), doctor_device.c (what a device
 * does when it is used).
 *
 * Upstream: cmd_doctor.c.
 */
#ifndef OSW_MPI_RUNNER_DOCTOR_H
#define OSW_MPI_RUNNER_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/text.h"
#include "mpi_runner/ranks/launch.h"
#include "worker/device/nvml.h"
#include "worker/health.h"

/* Written as "ok", "note", "warn", "FAIL". */
enum osw_mark {
    OSW_MARK_OK,
    OSW_MARK_NOTE, /* to know */
    OSW_MARK_WARN, /* a campaign runs, worse than it could */
    OSW_MARK_FAIL, /* something that a campaign needs is broken */
    OSW_N_MARKS,
};

enum {
    OSW_DOCTOR_MAX_FINDINGS = 512,
    OSW_DOCTOR_MAX_GPUS = 32,
};

struct osw_finding {
    enum osw_mark mark;
    const char *name;
    const char *text;
    const char *cure; /* "" when there is none */
};

/* A GPU as the driver shows it. */
struct osw_doctor_gpu {
    struct osw_nvml_facts facts;
    struct osw_telemetry now;
    size_t index;
    bool visible; /* CUDA_VISIBLE_DEVICES leaves it to us */
};

struct osw_doctor {
    osw_arena_t *memory;
    const char *device; /* "cpu", "cuda"; "auto" until doctor_gpu.c knows */
    const char *folder; /* where results will be written */
    bool quick;
    int patience_s; /* with a device that does not answer; 0: minutes */
    osw_getenv_f get;

    struct osw_finding found[OSW_DOCTOR_MAX_FINDINGS];
    size_t n_found, n_by_mark[OSW_N_MARKS];
    struct osw_nvml_driver driver;
    struct osw_doctor_gpu gpus[OSW_DOCTOR_MAX_GPUS];
    size_t n_gpus;
    struct osw_health health[OSW_DOCTOR_MAX_GPUS];
    size_t n_health;
};

struct osw_doctor_check {
    const char *name;
    enum osw_mark severity; /* of what osw_doctor_bad() says */
    bool cuda;              /* only where campaigns run on GPUs */
    void (*run)(struct osw_doctor *d, const struct osw_doctor_check *self);
};

/* Run every check that applies. */
void osw_doctor_run(struct osw_doctor *d);

/* Nothing found that a campaign needs and does not have. */
static inline bool osw_doctor_fit(const struct osw_doctor *d)
{
    return d->n_by_mark[OSW_MARK_FAIL] == 0;
}

/* What was found, as lines or as JSON ("opsweep doctor 1"). */
void osw_doctor_print(const struct osw_doctor *d, struct osw_text *out);
void osw_doctor_print_json(const struct osw_doctor *d, struct osw_text *out);

/* --- for checks --- */

/* Add a finding under the check's name, or under another one. */
void osw_doctor_say(struct osw_doctor *d, enum osw_mark mark, const char *name,
                    const char *cure, const char *fmt, ...) OSW_PRINTF(5, 6);
#define osw_doctor_good(d, self, ...)                                          \
    osw_doctor_say(d, OSW_MARK_OK, (self)->name, "", __VA_ARGS__)
#define osw_doctor_note(d, self, ...)                                          \
    osw_doctor_say(d, OSW_MARK_NOTE, (self)->name, "", __VA_ARGS__)
#define osw_doctor_bad(d, self, cure, ...)                                     \
    osw_doctor_say(d, (self)->severity, (self)->name, cure, __VA_ARGS__)

/* First line of what a program prints, into line[size].  Returns 0; -1 when it
 * is not there, failed or took longer than `seconds`.
 */
int osw_doctor_tool(const char *const *argv, int seconds, char *line,
                    size_t size);

/* doctor_node.c */
void osw_doctor_memory(struct osw_doctor *d,
                       const struct osw_doctor_check *self);
void osw_doctor_cores(struct osw_doctor *d,
                      const struct osw_doctor_check *self);
void osw_doctor_limits(struct osw_doctor *d,
                       const struct osw_doctor_check *self);
void osw_doctor_folder(struct osw_doctor *d,
                       const struct osw_doctor_check *self);
void osw_doctor_temp_dir(struct osw_doctor *d,
                         const struct osw_doctor_check *self);
void osw_doctor_shm(struct osw_doctor *d, const struct osw_doctor_check *self);
void osw_doctor_cache(struct osw_doctor *d,
                      const struct osw_doctor_check *self);
void osw_doctor_clock(struct osw_doctor *d,
                      const struct osw_doctor_check *self);
void osw_doctor_isolation(struct osw_doctor *d,
                          const struct osw_doctor_check *self);

/* doctor_tools.c */
void osw_doctor_parts(struct osw_doctor *d,
                      const struct osw_doctor_check *self);
void osw_doctor_plugins(struct osw_doctor *d,
                        const struct osw_doctor_check *self);
void osw_doctor_compiler(struct osw_doctor *d,
                         const struct osw_doctor_check *self);
void osw_doctor_nvcc(struct osw_doctor *d, const struct osw_doctor_check *self);
void osw_doctor_mpi(struct osw_doctor *d, const struct osw_doctor_check *self);
void osw_doctor_python(struct osw_doctor *d,
                       const struct osw_doctor_check *self);

/* doctor_h5.c */
void osw_doctor_hdf5(struct osw_doctor *d, const struct osw_doctor_check *self);

/* doctor_gpu.c: asks the driver, and resolves d->device. */
void osw_doctor_driver(struct osw_doctor *d,
                       const struct osw_doctor_check *self);
void osw_doctor_gpus(struct osw_doctor *d, const struct osw_doctor_check *self);
void osw_doctor_mps(struct osw_doctor *d, const struct osw_doctor_check *self);

/* What is wrong with one GPU, by what the driver says.  Pure. */
void osw_doctor_judge_gpu(struct osw_doctor *d,
                          const struct osw_doctor_gpu *gpu);
/* Does CUDA_VISIBLE_DEVICES (NULL: not set) leave us that GPU?  Numbers are
 * taken in the driver's order.  Pure.
 */
bool osw_doctor_visible(const char *list, size_t index, const char *uuid);

/* doctor_device.c: of the table for d->device, or of a given one. */
void osw_doctor_devices(struct osw_doctor *d,
                        const struct osw_doctor_check *self);
void osw_doctor_examine(struct osw_doctor *d,
                        const struct osw_doctor_check *self,
                        const struct osw_device_ops *ops);

#endif /* OSW_MPI_RUNNER_DOCTOR_H */
