/* mpi_runner/doctor/doctor.c - the table of checks, and what is printed of them
 */
#include "mpi_runner/doctor/doctor.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/json_out.h"
#include "common/version.h"
#include "ops/build/tool.h"

/* In the order in which they are printed; the driver comes first, since it
 * says whether the others are about GPUs.
 */
static const struct osw_doctor_check checks[] = {
    /* clang-format off */
    /* name        when it does not hold   GPUs only  */
    { "driver",         OSW_MARK_FAIL, false, osw_doctor_driver },
    { "gpu",            OSW_MARK_FAIL, true,  osw_doctor_gpus },
    { "mps",            OSW_MARK_FAIL, true,  osw_doctor_mps },
    { "program",        OSW_MARK_FAIL, false, osw_doctor_parts },
    { "plugins",        OSW_MARK_FAIL, true,  osw_doctor_plugins },
    { "C compiler",     OSW_MARK_FAIL, false, osw_doctor_compiler },
    { "nvcc",           OSW_MARK_FAIL, true,  osw_doctor_nvcc },
    { "MPI",            OSW_MARK_FAIL, false, osw_doctor_mpi },
    { "HDF5",           OSW_MARK_FAIL, false, osw_doctor_hdf5 },
    { "target folder",  OSW_MARK_FAIL, false, osw_doctor_folder },
    { "build cache",    OSW_MARK_FAIL, false, osw_doctor_cache },
    { "TMPDIR",         OSW_MARK_FAIL, false, osw_doctor_temp_dir },
    { "shared memory",  OSW_MARK_WARN, false, osw_doctor_shm },
    { "memory",         OSW_MARK_FAIL, false, osw_doctor_memory },
    { "cores",          OSW_MARK_WARN, false, osw_doctor_cores },
    { "limits",         OSW_MARK_WARN, false, osw_doctor_limits },
    { "clock",          OSW_MARK_WARN, false, osw_doctor_clock },
    { "Python",         OSW_MARK_NOTE, false, osw_doctor_python },
    { "isolation",      OSW_MARK_WARN, false, osw_doctor_isolation },
    { "device",         OSW_MARK_FAIL, false, osw_doctor_devices },
    /* clang-format on */
};

static const char *const mark_names[OSW_N_MARKS] = {"ok", "note", "warn",
                                                    "FAIL"};

void osw_doctor_run(struct osw_doctor *d)
{
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        if (!checks[i].cuda || strcmp(d->device, "cuda") == 0)
            checks[i].run(d, &checks[i]);
}

/* One line, whatever came from a driver or a compiler. */
static void flatten(char *text)
{
    size_t n = strlen(text);

    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < ' ')
            text[i] = ' ';
    while (n > 0 && text[n - 1] == ' ')
        text[--n] = '\0';
}

void osw_doctor_say(struct osw_doctor *d, enum osw_mark mark, const char *name,
                    const char *cure, const char *fmt, ...)
{
    struct osw_finding *f = &d->found[d->n_found];
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    flatten(text);
    d->n_by_mark[mark]++; /* counted also where no line is left */
    if (d->n_found == OSW_DOCTOR_MAX_FINDINGS)
        return;
    *f = (struct osw_finding){
        .mark = mark,
        .name = osw_arena_strdup(d->memory, name),
        .text = osw_arena_strdup(d->memory, text),
        .cure = osw_arena_strdup(d->memory, cure),
    };
    d->n_found += f->name && f->text && f->cure;
}

/* --- programs --- */

struct line {
    char *at;
    size_t size, used;
    bool whole;
};

static void keep_line(void *arg, const char *bytes, size_t n)
{
    struct line *l = arg;

    for (size_t i = 0; i < n && !l->whole; i++) {
        l->whole = bytes[i] == '\n' && l->used > 0;
        if (bytes[i] != '\n' && l->used + 1 < l->size)
            l->at[l->used++] = bytes[i];
    }
    l->at[l->used] = '\0';
}

int osw_doctor_tool(const char *const *argv, int seconds, char *line,
                    size_t size)
{
    struct line first = {.at = line, .size = size};
    const struct osw_tool tool = {
        .argv = argv,
        .deadline_ns = seconds * INT64_C(1000000000),
        .sink = keep_line,
        .sink_arg = &first,
    };
    struct osw_tool_end end;

    line[0] = '\0';
    if (osw_tool_run(&tool, &end, NULL) < 0)
        return -1;
    return end.exit_code == 0 && !end.late ? 0 : -1;
}

/* --- output --- */

static void host_name(char *name, size_t size)
{
    if (gethostname(name, size) < 0)
        snprintf(name, size, "?");
    name[size - 1] = '\0';
}

/* "2 warnings", "1 note" */
static void add_count(struct osw_text *out, const char *sep, size_t n,
                      const char *what)
{
    osw_text_printf(out, "%s%zu %s%s", sep, n, what, osw_plural(n));
}

void osw_doctor_print(const struct osw_doctor *d, struct osw_text *out)
{
    char host[256];
    int width = 0;

    host_name(host, sizeof(host));
    osw_text_printf(out, "opsweep %s on %s, for campaigns on %s\n\n",
                    OSW_VERSION, host, d->device);
    for (size_t i = 0; i < d->n_found; i++)
        if ((int)strlen(d->found[i].name) > width)
            width = (int)strlen(d->found[i].name);
    for (size_t i = 0; i < d->n_found; i++) {
        const struct osw_finding *f = &d->found[i];

        osw_text_printf(out, "%-4s  %-*s  %s%s%s\n", mark_names[f->mark], width,
                        f->name, f->text, *f->cure ? "; cure: " : "", f->cure);
    }
    osw_text_printf(out, "\n%zu ok", d->n_by_mark[OSW_MARK_OK]);
    add_count(out, ", ", d->n_by_mark[OSW_MARK_NOTE], "note");
    add_count(out, ", ", d->n_by_mark[OSW_MARK_WARN], "warning");
    add_count(out, ", ", d->n_by_mark[OSW_MARK_FAIL], "failure");
    osw_text_add(out, osw_doctor_fit(d) ? ": fit for a campaign\n"
                                        : ": not fit for a campaign\n");
}

/* Unknown integers, which are -1, become null. */
static void add_int(struct osw_json_out *o, const char *key, int64_t v)
{
    if (v < 0)
        osw_json_out_null(o, key);
    else
        osw_json_out_i64(o, key, v);
}

static void add_gpu(struct osw_json_out *o, const struct osw_doctor_gpu *gpu)
{
    const struct osw_nvml_facts *f = &gpu->facts;

    osw_json_out_object(o, NULL);
    osw_json_out_u64(o, "index", gpu->index);
    osw_json_out_bool(o, "visible", gpu->visible);
    osw_json_out_str(o, "name", f->name);
    osw_json_out_str(o, "uuid", f->uuid);
    osw_json_out_str(o, "pci", f->pci);
    osw_json_out_str(o, "serial", f->serial);
    osw_json_out_str(o, "vbios", f->vbios);
    add_int(o, "compute_capability", f->capability);
    add_int(o, "compute_mode", f->compute_mode);
    add_int(o, "persistence", f->persistence);
    add_int(o, "ecc", f->ecc);
    add_int(o, "mig", f->mig);
    add_int(o, "memory_bytes", f->memory_bytes);
    add_int(o, "free_bytes", f->free_bytes);
    osw_json_out_f64(o, "power_limit_w", f->power_limit_w);
    osw_json_out_f64(o, "max_sm_mhz", f->max_sm_mhz);
    osw_json_out_f64(o, "max_memory_mhz", f->max_memory_mhz);
    add_int(o, "pcie_gen", f->pcie_gen);
    add_int(o, "pcie_width", f->pcie_width);
    add_int(o, "remapped_corrected", f->remapped_corrected);
    add_int(o, "remapped_uncorrected", f->remapped_uncorrected);
    add_int(o, "ecc_uncorrected", gpu->now.ecc_uncorrected);
    add_int(o, "recovery_action", f->recovery);
    add_int(o, "processes", f->n_processes);
    osw_json_out_f64(o, "temperature_c", gpu->now.temperature_c);
    osw_json_out_end(o);
}

static void add_health(struct osw_json_out *o, const struct osw_health *h)
{
    osw_json_out_object(o, NULL);
    osw_json_out_str(o, "name", h->name);
    osw_json_out_f64(o, "open_s", (double)h->open_ns / 1e9);
    osw_json_out_bool(o, "memory", h->memory.good);
    osw_json_out_u64(o, "tested_bytes", h->tested_bytes);
    osw_json_out_f64(o, "copy_bytes_per_s",
                     h->copy_bytes_per_s > 0 ? h->copy_bytes_per_s : NAN);
    osw_json_out_bool(o, "share", h->share.good);
    osw_json_out_bool(o, "sandbox", h->sandbox.good);
    osw_json_out_end(o);
}

void osw_doctor_print_json(const struct osw_doctor *d, struct osw_text *out)
{
    struct osw_json_out o = osw_json_out(out);
    char host[256];

    host_name(host, sizeof(host));
    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "format", "opsweep doctor 1");
    osw_json_out_str(&o, "version", OSW_VERSION);
    osw_json_out_str(&o, "host", host);
    osw_json_out_str(&o, "device", d->device);
    osw_json_out_bool(&o, "quick", d->quick);
    osw_json_out_bool(&o, "fit", osw_doctor_fit(d));
    osw_json_out_list(&o, "checks");
    for (size_t i = 0; i < d->n_found; i++) {
        osw_json_out_object(&o, NULL);
        osw_json_out_str(&o, "name", d->found[i].name);
        osw_json_out_str(&o, "mark", mark_names[d->found[i].mark]);
        osw_json_out_str(&o, "found", d->found[i].text);
        osw_json_out_str(&o, "cure", d->found[i].cure);
        osw_json_out_end(&o);
    }
    osw_json_out_end(&o);
    osw_json_out_str(&o, "driver", d->driver.version);
    osw_json_out_list(&o, "gpus");
    for (size_t i = 0; i < d->n_gpus; i++)
        add_gpu(&o, &d->gpus[i]);
    osw_json_out_end(&o);
    osw_json_out_list(&o, "devices");
    for (size_t i = 0; i < d->n_health; i++)
        add_health(&o, &d->health[i]);
    osw_json_out_end(&o);
    osw_json_out_end(&o);
    osw_text_add(out, "\n");
}
