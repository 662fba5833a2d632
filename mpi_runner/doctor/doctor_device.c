/* mpi_runner/doctor/doctor_device.c - what a device does when it is used
 *
 * In a process of its own with a deadline: a driver that hangs, hangs that
 * process only, and this one can still start others.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/deadline.h"
#include "mpi_runner/doctor/doctor.h"

enum { QUICK_S = 120, FULL_S = 300 };

/* Less than this part of the memory's peak is worth a word. */
static const double least_of_peak = 0.6;

/* What the other process reports. */
struct report {
    size_t n_devices; /* that it counted */
    bool checked;     /* health is filled; else err */
    struct osw_error err;
    struct osw_health health;
};

struct job {
    const struct osw_device_ops *ops;
    int index;
    uint64_t budget;
    bool quick;
    int patience_s;
};

static void examine(const struct job *job, struct report *out)
{
    out->checked = osw_health_check(job->ops, job->index, job->budget,
                                    job->quick, &out->health, &out->err) == 0;
    out->n_devices = out->health.n_devices;
}

static bool write_all(int fd, const void *data, size_t n)
{
    const char *at = data;

    while (n > 0) {
        ssize_t k = write(fd, at, n);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        at += k;
        n -= (size_t)k;
    }
    return true;
}

/* The whole report within the deadline; else false, and how it ended as text.
 */
static bool read_report(int fd, int seconds, struct report *out)
{
    struct osw_deadline d =
        osw_deadline_in(seconds * INT64_C(1000000000), osw_clock_ns());
    char *at = (char *)out;
    size_t left = sizeof(*out);

    while (left > 0) {
        ssize_t n;

        if (!osw_deadline_wait(&d, fd)) {
            osw_fail(&out->err, OSW_TIMEOUT,
                     "no answer within %d s: the driver hangs", seconds);
            return false;
        }
        n = read(fd, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            osw_fail(&out->err, OSW_CHILD, "the process that used it died");
            return false;
        }
        at += n;
        left -= (size_t)n;
    }
    return true;
}

/* Kill the child; one that cannot die is left running. */
static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    for (int i = 0; i < 500 && waitpid(pid, NULL, WNOHANG) == 0; i++)
        osw_clock_sleep_ns(10000000);
}

static void run_apart(const struct job *job, struct report *out)
{
    pid_t pid, parent = getpid();
    struct report got;
    int fds[2];

    memset(out, 0, sizeof(*out));
    if (pipe(fds) < 0) {
        osw_fail_sys(&out->err, errno, "cannot make a pipe");
        return;
    }
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(fds[0]);
        if (getppid() == parent) {
            examine(job, out);
            (void)write_all(fds[1], out, sizeof(*out));
        }
        _exit(0);
    }
    close(fds[1]);
    memset(&got, 0, sizeof(got));
    if (pid < 0)
        osw_fail_sys(&out->err, errno, "cannot fork");
    else if (read_report(fds[0], job->patience_s, &got))
        *out = got;
    else
        out->err = got.err;
    close(fds[0]);
    if (pid > 0)
        end(pid);
}

/* --- what it means --- */

/* Nine tenths of what is free on the GPU that has least, as the driver says;
 * CUDA numbers GPUs in another order.
 */
static uint64_t budget_of(const struct osw_doctor *d)
{
    int64_t least = 0;

    for (size_t i = 0; i < d->n_gpus; i++) {
        int64_t bytes = d->gpus[i].facts.free_bytes;

        if (d->gpus[i].visible && bytes > 0 && (!least || bytes < least))
            least = bytes;
    }
    return d->quick ? 0 : (uint64_t)(least / 10 * 9);
}

/* Of the GPUs' memory, bytes per second; 0: unknown, or they differ. */
static double peak_of(const struct osw_doctor *d)
{
    const struct osw_nvml_facts *f = &d->gpus[0].facts;

    if (d->n_gpus == 0 || !(f->max_memory_mhz > 0) || f->bus_bits <= 0)
        return 0;
    for (size_t i = 1; i < d->n_gpus; i++)
        if (strcmp(d->gpus[i].facts.name, f->name) != 0)
            return 0;
    return 2 * f->max_memory_mhz * 1e6 * f->bus_bits / 8;
}

static void say_part(struct osw_doctor *d, const char *device, const char *what,
                     const struct osw_health_part *part, const char *cure)
{
    char name[64];

    snprintf(name, sizeof(name), "%s %s", device, what);
    osw_doctor_say(d, part->good ? OSW_MARK_OK : OSW_MARK_FAIL, name,
                   part->good ? "" : cure, "%s", part->text);
}

static void say_copy(struct osw_doctor *d, const char *device,
                     const struct osw_health *h)
{
    double peak = peak_of(d);
    bool slow = peak > 0 && h->copy_bytes_per_s < least_of_peak * peak;
    char name[64];

    if (!(h->copy_bytes_per_s > 0))
        return;
    snprintf(name, sizeof(name), "%s copy", device);
    if (peak > 0)
        osw_doctor_say(
            d, slow ? OSW_MARK_WARN : OSW_MARK_OK, name,
            slow ? "look for other processes and held-down clocks" : "",
            "%.0f GB/s read and written, %.0f %% of the peak",
            h->copy_bytes_per_s / 1e9, 100 * h->copy_bytes_per_s / peak);
    else
        osw_doctor_say(d, OSW_MARK_OK, name, "", "%.1f GB/s read and written",
                       h->copy_bytes_per_s / 1e9);
}

static void say_health(struct osw_doctor *d, const char *device,
                       const struct osw_health *h)
{
    osw_doctor_say(d, OSW_MARK_OK, device, "", "%s, opened in %.2f s", h->name,
                   (double)h->open_ns / 1e9);
    say_part(d, device, "memory", &h->memory, osw_health_memory_cure);
    say_copy(d, device, h);
    say_part(d, device, "sharing", &h->share, osw_health_share_cure);
    say_part(d, device, "sandbox", &h->sandbox, osw_health_sandbox_cure);
}

void osw_doctor_examine(struct osw_doctor *d,
                        const struct osw_doctor_check *self,
                        const struct osw_device_ops *ops)
{
    int patience = d->patience_s ? d->patience_s : d->quick ? QUICK_S : FULL_S;
    size_t n = 1, n_counted = 0, n_visible = 0;

    for (size_t i = 0; i < n && i < OSW_DOCTOR_MAX_GPUS; i++) {
        const struct job job = {ops, (int)i, budget_of(d), d->quick, patience};
        struct report report;
        char name[32];

        snprintf(name, sizeof(name), "%s %zu", ops->kind, i);
        run_apart(&job, &report);
        n_counted = report.n_devices ? report.n_devices : n_counted;
        n = n_counted > n ? n_counted : n;
        if (!report.checked) {
            osw_doctor_say(d, self->severity, name,
                           "nvidia-smi and the kernel's log say more", "%s",
                           report.err.text);
            continue;
        }
        d->health[d->n_health++] = report.health;
        say_health(d, name, &report.health);
    }
    for (size_t i = 0; i < d->n_gpus; i++)
        n_visible += d->gpus[i].visible && d->gpus[i].facts.mig != 1;
    if (n_counted > 0 && n_counted < n_visible)
        osw_doctor_bad(d, self, "look at CUDA_VISIBLE_DEVICES and /dev/nvidia*",
                       "CUDA can use %zu GPUs of %zu", n_counted, n_visible);
}

void osw_doctor_devices(struct osw_doctor *d,
                        const struct osw_doctor_check *self)
{
    const struct osw_device_ops *ops = osw_device_find(d->device);

    if (ops)
        osw_doctor_examine(d, self, ops);
    else
        osw_doctor_bad(d, self,
                       "build with nvcc in PATH, and install its plugins",
                       "this program cannot use devices of kind '%s': %s",
                       d->device, osw_device_missing(d->device));
}
