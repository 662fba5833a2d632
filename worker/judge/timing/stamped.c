/* worker/judge/timing/stamped.c - the judge's own times of single calls */
#include "worker/judge/timing/stamped.h"

#include <poll.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "worker/judge/process/watch.h"
#include "worker/stamps.h"

enum {
    LONG_NS = 1000000, /* a wait from here on does not keep a core busy */
    NAP_PART = 64,     /* of such a wait so far, one sleep */
    MAX_NAP_NS = 1000000,
    LOOK_NS = 10000000, /* between looks at the sandbox during a wait */
};

/* Of a sample: shorter waits for a core do not disturb it. */
#define LITTLE 0.02

static struct osw_stamps *stamps_of(const struct osw_sandbox *sandbox)
{
    return (void *)((unsigned char *)sandbox->window.base +
                    osw_stamps_at(sandbox->env->window_bytes));
}

void osw_stamped_reset(struct osw_sandbox *sandbox)
{
    osw_stamps_reset(stamps_of(sandbox));
}

/* It sends nothing before its last sample, unless a call failed. */
static bool has_answered(const struct osw_sandbox *sandbox)
{
    struct pollfd p = {.fd = sandbox->socket, .events = POLLIN | POLLRDHUP};

    return !sandbox->pid || poll(&p, 1, 0) != 0;
}

static void nap(int64_t waited_ns)
{
    int64_t ns = waited_ns / NAP_PART;
    struct timespec t = {.tv_nsec = ns < MAX_NAP_NS ? ns : MAX_NAP_NS};

    (void)nanosleep(&t, NULL);
}

/* Until a word has that value; false: it will not. */
static bool await(struct osw_sandbox *sandbox, _Atomic uint32_t *word,
                  uint32_t value, struct osw_sandbox_deadline *deadline)
{
    int64_t t0 = osw_clock_ns(), now = t0, looked_ns = t0;

    for (uint32_t k = 0; atomic_load(word) != value; k++) {
        now = osw_clock_ns();
        if (now - t0 < LONG_NS)
            osw_stamps_wait(k, OSW_STAMPS_SPINS);
        else
            nap(now - t0);
        if (now - looked_ns < (now - t0 < LONG_NS ? LONG_NS / 8 : LOOK_NS))
            continue;
        looked_ns = now;
        if (has_answered(sandbox) ||
            osw_sandbox_time_left(sandbox, deadline) < 0)
            return false;
        if (now - t0 >= LOOK_NS)
            osw_sandbox_look_after(sandbox);
    }
    return true;
}

/* Move the judge's thread to another core than the sandbox's, also outside of
 * its slot, which may be one core: on one core, neither runs while the other
 * does. The kernel leaves out cores that this job may not use.
 */
static void step_aside(const struct osw_sandbox *sandbox)
{
    int core = osw_watch_core(sandbox->pid);
    cpu_set_t others;

    memset(&others, 0xff, sizeof(others));
    if (core < 0 || core >= CPU_SETSIZE)
        return;
    CPU_CLR((size_t)core, &others);
    (void)sched_setaffinity(0, sizeof(others), &others);
}

static bool stamp(struct osw_sandbox *sandbox, uint32_t i,
                  struct osw_sandbox_deadline *deadline,
                  struct osw_claim_stamp *out)
{
    struct osw_stamps *s = stamps_of(sandbox);
    int64_t t0, waited;

    if (!await(sandbox, &s->ready, i, deadline))
        return false;
    waited = osw_sandbox_waited_ns(sandbox);
    t0 = osw_clock_ns();
    atomic_store(&s->go, i);
    if (!await(sandbox, &s->done, i, deadline))
        return false;
    out->wall_ns = (double)(osw_clock_ns() - t0);
    waited = osw_sandbox_waited_ns(sandbox) - waited;
    out->disturbed = (double)waited > LITTLE * out->wall_ns;
    return true;
}

uint32_t osw_stamped_follow(struct osw_sandbox *sandbox, uint32_t n,
                            struct osw_sandbox_deadline *deadline,
                            struct osw_claim_stamp *stamps)
{
    uint32_t i = 0;
    cpu_set_t own;
    bool moves = n > 1 && sched_getaffinity(0, sizeof(own), &own) == 0;

    if (moves)
        step_aside(sandbox);
    while (i < n && stamp(sandbox, i + 1, deadline, &stamps[i]))
        i++;
    if (i < n)
        osw_stamps_leave(stamps_of(sandbox));
    if (moves)
        (void)sched_setaffinity(0, sizeof(own), &own);
    return i;
}
