/* mpi_runner/doctor/doctor_gpu.c - what the driver says of GPUs: usable or not?
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/kernel/kernel_file.h"
#include "mpi_runner/doctor/doctor.h"
#include "worker/device/device_faults.h"

/* --- the driver --- */

bool osw_doctor_visible(const char *list, size_t index, const char *uuid)
{
    if (!list)
        return true;
    for (const char *at = list; *at; at += *at == ',') {
        size_t n = strcspn(at, ",");
        char *end;

        if (n > 4 && strncasecmp(at, "GPU-", 4) == 0) {
            if (strncasecmp(at, uuid, n) == 0)
                return true;
        } else if (strtoul(at, &end, 10) == index && end == at + n && n > 0) {
            return true;
        }
        at += n;
    }
    return false;
}

static void look_at_gpus(struct osw_doctor *d, const osw_nvml_t *nvml, size_t n,
                         const struct osw_doctor_check *self)
{
    const char *list = d->get("CUDA_VISIBLE_DEVICES");

    for (size_t i = 0; i < n && d->n_gpus < OSW_DOCTOR_MAX_GPUS; i++) {
        struct osw_doctor_gpu *gpu = &d->gpus[d->n_gpus];
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_nvml_gpu handle;

        if (osw_nvml_at(nvml, i, &handle, &err) < 0) {
            osw_doctor_bad(d, self,
                           "nvidia-smi and the kernel's log say more; a GPU "
                           "that fell off its bus needs a reboot",
                           "%s", err.text);
            continue;
        }
        gpu->index = i;
        osw_nvml_facts(&handle, &gpu->facts);
        osw_nvml_sample(&handle, &gpu->now);
        gpu->visible = osw_doctor_visible(list, i, gpu->facts.uuid);
        d->n_gpus++;
    }
}

static void describe_driver(struct osw_doctor *d,
                            const struct osw_doctor_check *self)
{
    int32_t cuda = d->driver.cuda_version;

    if (cuda > 0)
        osw_doctor_good(d, self, "NVIDIA %s, up to CUDA %d.%d, %zu GPU%s",
                        d->driver.version, cuda / 1000, cuda % 1000 / 10,
                        d->n_gpus, osw_plural(d->n_gpus));
    else
        osw_doctor_good(d, self, "NVIDIA %s, %zu GPU%s", d->driver.version,
                        d->n_gpus, osw_plural(d->n_gpus));
}

/* No GPU is nothing wrong, unless one was asked for. */
static void without_gpu(struct osw_doctor *d,
                        const struct osw_doctor_check *self, const char *why)
{
    if (strcmp(d->device, "cuda") == 0)
        osw_doctor_bad(d, self,
                       "install the NVIDIA driver, or ask the batch system "
                       "for GPUs; nvidia-smi must list them",
                       "%s", why);
    else
        osw_doctor_good(d, self, "no GPU here: campaigns run on CPU cores");
}

void osw_doctor_driver(struct osw_doctor *d,
                       const struct osw_doctor_check *self)
{
    bool asked = strcmp(d->device, "cuda") == 0;
    struct osw_error err = OSW_ERROR_INIT;
    osw_nvml_t *nvml = NULL;
    size_t n = 0;

    if (strcmp(d->device, "cpu") != 0)
        nvml = osw_nvml_open(&err);
    if (nvml && osw_nvml_count(nvml, &n, &err) == 0 && n > 0) {
        d->device = "cuda";
        osw_nvml_driver(nvml, &d->driver);
        look_at_gpus(d, nvml, n, self);
        describe_driver(d, self);
    } else if (err.status == OSW_DEVICE && !asked) {
        osw_doctor_say(d, OSW_MARK_WARN, self->name,
                       "modprobe nvidia, or reboot where driver and kernel "
                       "module differ in version; nvidia-smi must work",
                       "%s", err.text);
    } else {
        without_gpu(d, self, *err.text ? err.text : "no GPU is visible");
    }
    if (!asked && n == 0)
        d->device = "cpu";
    osw_nvml_close(nvml);
}

/* --- one GPU --- */

/* "python3 (4711), 4712 and 3 more" */
static void name_processes(const struct osw_nvml_facts *f, char *text,
                           size_t size)
{
    enum { SHOWN = 4 };
    size_t used = 0;
    int i;

    text[0] = '\0';
    for (i = 0; i < f->n_processes && i < SHOWN && used < size; i++) {
        char comm[32];

        (void)osw_kernel_file((pid_t)f->pids[i], "comm", comm, sizeof(comm));
        comm[strcspn(comm, "\n")] = '\0';
        used += (size_t)snprintf(text + used, size - used, "%s%s%s%u%s",
                                 i ? ", " : "", comm, *comm ? " (" : "",
                                 f->pids[i], *comm ? ")" : "");
    }
    if (f->n_processes > i && used < size)
        snprintf(text + used, size - used, " and %d more", f->n_processes - i);
}

void osw_doctor_judge_gpu(struct osw_doctor *d,
                          const struct osw_doctor_gpu *gpu)
{
    static const enum osw_mark marks[] = {
        [OSW_DEVICE_FAULT_NOTE] = OSW_MARK_NOTE,
        [OSW_DEVICE_FAULT_WARN] = OSW_MARK_WARN,
        [OSW_DEVICE_FAULT_UNFIT] = OSW_MARK_FAIL};
    struct osw_device_fault faults[OSW_MAX_DEVICE_FAULTS];
    char name[32], id[24], who[200];
    size_t n;

    snprintf(name, sizeof(name), "gpu %zu", gpu->index);
    snprintf(id, sizeof(id), "%zu", gpu->index);
    n = osw_device_faults_of(&gpu->facts, &gpu->now, id, faults);
    for (size_t i = 0; i < n; i++)
        osw_doctor_say(d, marks[faults[i].weight], name, faults[i].cure, "%s",
                       faults[i].text);
    if (gpu->facts.n_processes > 0) {
        name_processes(&gpu->facts, who, sizeof(who));
        osw_doctor_say(d, OSW_MARK_WARN, name,
                       "end them, or ask the batch system for whole GPUs",
                       "other processes compute on it: %s", who);
    }
}

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

void osw_doctor_gpus(struct osw_doctor *d, const struct osw_doctor_check *self)
{
    size_t n_visible = 0;

    for (size_t i = 0; i < d->n_gpus; i++) {
        const struct osw_nvml_facts *f = &d->gpus[i].facts;
        char name[32];

        if (!d->gpus[i].visible)
            continue;
        n_visible++;
        snprintf(name, sizeof(name), "gpu %zu", d->gpus[i].index);
        osw_doctor_say(
            d, OSW_MARK_OK, name, "",
            "%s, %.1f GiB (%.1f free), %.0f W, %.0f MHz, %s, %s",
            *f->name ? f->name : "unknown GPU",
            (double)f->memory_bytes / 0x1p30, (double)f->free_bytes / 0x1p30,
            or_zero(f->power_limit_w), or_zero(f->max_sm_mhz), f->pci, f->uuid);
        osw_doctor_judge_gpu(d, &d->gpus[i]);
    }
    if (n_visible == 0 && d->n_gpus > 0)
        osw_doctor_bad(d, self, "unset CUDA_VISIBLE_DEVICES, or name a GPU",
                       "%zu GPU%s, and CUDA_VISIBLE_DEVICES='%s' leaves none",
                       d->n_gpus, osw_plural(d->n_gpus),
                       d->get("CUDA_VISIBLE_DEVICES")
                           ? d->get("CUDA_VISIBLE_DEVICES")
                           : "");
}

/* --- MPS --- */

void osw_doctor_mps(struct osw_doctor *d, const struct osw_doctor_check *self)
{
    struct osw_device_fault fault;

    if (osw_device_faults_mps(d->get, &fault))
        osw_doctor_bad(d, self, fault.cure, "%s", fault.text);
    else
        osw_doctor_good(d, self, "not active");
}
