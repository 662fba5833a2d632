/* mpi_runner/transport/transport_mpi.c - ranks of an MPI job
 *
 * Point to point and non-blocking only: a blocking call to a dead rank never
 * returns.  Frames are below the eager limit of shared memory and TCP, so that
 * one that was probed is there as a whole.  Collective calls are at the start
 * only, within its time limit: which ranks share this node, and whether rank 0,
 * whose process they watch from then on, is one of them.
 */
#include "mpi_runner/transport/transport.h"

#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "mpi_runner/transport/neighbour.h"

enum {
    TAG = 1,
    UNUSED_TAG = 2,   /* of no message */
    MAX_FLYING = 16,  /* frames on their way to one peer */
    BUSY_POLLS = 200, /* empty polls before it sleeps */
    MIN_SLEEP_NS = 200 * 1000,
    MAX_SLEEP_NS = 1000 * 1000,
    END_LIMIT_S = 10, /* for MPI_Finalize, which may hang */
};

static const int64_t receive_limit_ns = 1000000000;
static const int64_t flush_limit_ns = 300000000;

/* A frame on its way.  Its memory is MPI's until the request completes, so
 * those to a lost peer are kept for ever.
 */
struct slot {
    struct slot *next;
    MPI_Request request;
    int peer;
    unsigned char data[OSW_FRAME_MAX];
};

struct mpi {
    struct osw_transport base;
    MPI_Comm comm;
    struct slot *flying, *unused, *abandoned;
    unsigned *n_flying;     /* [size] by peer */
    bool *forgotten;        /* [size] */
    struct slot *receiving; /* matched, but not there yet */
    int64_t receive_deadline_ns;
    unsigned n_empty; /* polls in a row */
};

static struct mpi *mpi_of(struct osw_transport *t)
{
    return (struct mpi *)t;
}

static int fail_mpi(struct osw_error *err, int code, const char *what, int peer)
{
    char text[MPI_MAX_ERROR_STRING];
    int n = 0;

    if (MPI_Error_string(code, text, &n) != MPI_SUCCESS)
        n = 0;
    return osw_fail(err, OSW_PROTOCOL, "%s rank %d: %.*s", what, peer, n, text);
}

static struct slot *get_slot(struct mpi *m)
{
    struct slot *s = m->unused;

    if (s)
        m->unused = s->next;
    else
        s = malloc(sizeof(*s));
    if (s)
        s->request = MPI_REQUEST_NULL;
    return s;
}

static void put_slot(struct slot **list, struct slot *s)
{
    s->next = *list;
    *list = s;
}

/* Take back the slots of frames that are out. */
static void reap(struct mpi *m)
{
    struct slot **at = &m->flying;

    while (*at) {
        struct slot *s = *at;
        int done = 0;

        if (!m->forgotten[s->peer])
            MPI_Test(&s->request, &done, MPI_STATUS_IGNORE);
        if (!done && !m->forgotten[s->peer]) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        m->n_flying[s->peer]--;
        put_slot(done ? &m->unused : &m->abandoned, s);
    }
}

/* Open MPI 4 may abort, or never return, when it writes to a TCP connection
 * whose other end was killed.  It does not write once it has read that end, so
 * let it read what has come: a probe that finds nothing does so.
 */
static void read_ends(const struct mpi *m, int peer)
{
    int found = 0;

    MPI_Iprobe(peer, UNUSED_TAG, m->comm, &found, MPI_STATUS_IGNORE);
}

static int mpi_send(struct osw_transport *t, int peer, const void *frame,
                    size_t n, struct osw_error *err)
{
    struct mpi *m = mpi_of(t);
    struct slot *s;
    int done = 0, rc;

    if (peer < 0 || peer >= t->size || m->forgotten[peer])
        return osw_fail(err, OSW_PROTOCOL, "no rank %d to send to", peer);
    if (m->flying)
        reap(m);
    if (m->n_flying[peer] == MAX_FLYING)
        return 0;
    s = get_slot(m);
    if (!s)
        return 0;
    memcpy(s->data, frame, n);
    s->peer = peer;
    read_ends(m, peer);
    rc = MPI_Isend(s->data, (int)n, MPI_BYTE, peer, TAG, m->comm, &s->request);
    if (rc == MPI_SUCCESS)
        rc = MPI_Test(&s->request, &done, MPI_STATUS_IGNORE);
    if (rc != MPI_SUCCESS) {
        put_slot(&m->abandoned, s);
        return fail_mpi(err, rc, "cannot send to", peer);
    }
    if (!done)
        m->n_flying[peer]++;
    put_slot(done ? &m->unused : &m->flying, s);
    return 1;
}

/* Has the frame that was matched arrived?  As poll(). */
static int receive(struct mpi *m, int *peer, unsigned char frame[OSW_FRAME_MAX],
                   size_t *n, struct osw_error *err)
{
    struct slot *s = m->receiving;
    int done = 0, count = 0, rc;
    MPI_Status status;

    *peer = s->peer;
    rc = MPI_Test(&s->request, &done, &status);
    if (rc == MPI_SUCCESS && !done) {
        if (osw_clock_ns() < m->receive_deadline_ns)
            return 0;
        m->receiving = NULL;
        put_slot(&m->abandoned, s);
        return osw_fail(err, OSW_TIMEOUT,
                        "a frame from rank %d stopped half-way", s->peer);
    }
    m->receiving = NULL;
    put_slot(&m->unused, s);
    if (rc != MPI_SUCCESS)
        return fail_mpi(err, rc, "cannot receive from", s->peer);
    MPI_Get_count(&status, MPI_BYTE, &count);
    memcpy(frame, s->data, (size_t)count);
    *n = (size_t)count;
    return 1;
}

static int mpi_poll(struct osw_transport *t, int *peer,
                    unsigned char frame[OSW_FRAME_MAX], size_t *n,
                    struct osw_error *err)
{
    struct mpi *m = mpi_of(t);
    MPI_Message message;
    MPI_Status status;
    struct slot *s;
    int found = 0, rc;

    if (m->receiving)
        return receive(m, peer, frame, n, err);
    rc = MPI_Improbe(MPI_ANY_SOURCE, TAG, m->comm, &found, &message, &status);
    if (rc != MPI_SUCCESS || !found)
        return 0;
    m->n_empty = 0;
    s = get_slot(m);
    if (!s) {
        *peer = status.MPI_SOURCE;
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a frame");
    }
    s->peer = status.MPI_SOURCE;
    m->receiving = s;
    m->receive_deadline_ns = osw_clock_ns() + receive_limit_ns;
    rc = MPI_Imrecv(s->data, OSW_FRAME_MAX, MPI_BYTE, &message, &s->request);
    if (rc != MPI_SUCCESS) {
        *peer = s->peer;
        m->receiving = NULL;
        put_slot(&m->abandoned, s);
        return fail_mpi(err, rc, "cannot receive from", *peer);
    }
    return receive(m, peer, frame, n, err);
}

static void mpi_wait(struct osw_transport *t, int64_t max_ns)
{
    struct mpi *m = mpi_of(t);
    int64_t ns;

    if (m->n_empty++ < BUSY_POLLS) {
        sched_yield();
        return;
    }
    ns = MIN_SLEEP_NS + (int64_t)(m->n_empty - BUSY_POLLS) * MIN_SLEEP_NS / 16;
    if (ns > MAX_SLEEP_NS) {
        m->n_empty--;
        ns = MAX_SLEEP_NS;
    }
    if (ns > max_ns)
        ns = max_ns;
    if (ns > 0)
        osw_clock_sleep_ns(ns);
}

static void mpi_forget(struct osw_transport *t, int peer)
{
    mpi_of(t)->forgotten[peer] = true;
    reap(mpi_of(t));
}

/* What was on its way to it still is. */
static void mpi_remember(struct osw_transport *t, int peer)
{
    struct mpi *m = mpi_of(t);
    struct slot **at = &m->abandoned;

    m->forgotten[peer] = false;
    while (*at) {
        struct slot *s = *at;

        if (s->peer != peer) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        m->n_flying[peer]++;
        put_slot(&m->flying, s);
    }
}

/* --- the end --- */

static volatile sig_atomic_t exit_code_when_stuck;

static void on_alarm(int sig)
{
    (void)sig;
    _exit(exit_code_when_stuck);
}

static void flush(struct mpi *m)
{
    int64_t deadline = osw_clock_ns() + flush_limit_ns;

    for (reap(m); m->flying && osw_clock_ns() < deadline; reap(m))
        osw_clock_sleep_ns(MIN_SLEEP_NS);
}

static void free_slots(struct slot *s)
{
    while (s) {
        struct slot *next = s->next;

        free(s);
        s = next;
    }
}

static bool mpi_close(struct osw_transport *t, bool lost, int exit_code)
{
    struct mpi *m = mpi_of(t);
    struct sigaction stuck = {.sa_handler = on_alarm}, before;

    flush(m);
    if (m->flying || m->receiving || m->abandoned)
        lost = true;
    if (lost)
        return true; /* MPI keeps using m */
    exit_code_when_stuck = exit_code;
    sigaction(SIGALRM, &stuck, &before);
    alarm(END_LIMIT_S);
    MPI_Finalize();
    alarm(0);
    sigaction(SIGALRM, &before, NULL);
    if (t->root_fd >= 0)
        close(t->root_fd);
    free_slots(m->unused);
    free(m->n_flying);
    free(m->forgotten);
    free(m);
    return false;
}

static const struct osw_transport_ops mpi_ops = {
    .name = "mpi",
    .send = mpi_send,
    .poll = mpi_poll,
    .wait = mpi_wait,
    .forget = mpi_forget,
    .remember = mpi_remember,
    .close = mpi_close,
};

/* --- the start --- */

/* Rank 0, `root` of the ranks of this node, stays until all watch its process:
 * ranks that wait for its first message will know when none can come.
 */
static void watch_root(struct osw_transport *t, int root, MPI_Comm node)
{
    uint64_t process[2] = {(uint64_t)getpid(), 0}; /* pid, born */

    process[1] = osw_neighbour_born(process[0]);
    MPI_Bcast(process, 2, MPI_UINT64_T, root, node);
    if (t->rank != 0)
        t->root_fd = osw_neighbour_watch(t->host, process[0], process[1]);
    MPI_Barrier(node);
}

/* Number the workers of this node. */
static void find_neighbours(struct osw_transport *t)
{
    MPI_Group world, local;
    MPI_Comm node;
    int zero = 0, coordinator = MPI_UNDEFINED, rank = 0, size = 0;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, t->rank,
                        MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(node, &local);
    MPI_Group_translate_ranks(world, 1, &zero, local, &coordinator);
    MPI_Group_free(&world);
    MPI_Group_free(&local);
    if (coordinator != MPI_UNDEFINED)
        watch_root(t, coordinator, node);
    MPI_Comm_free(&node);
    t->n_local = size - (coordinator != MPI_UNDEFINED);
    t->local_index = rank - (coordinator != MPI_UNDEFINED);
}

int osw_transport_open_mpi(struct osw_transport **mine,
                           struct osw_transport **other, struct osw_error *err)
{
    struct mpi *m = calloc(1, sizeof(*m));
    int level = 0, rc;

    if (!m)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a transport");
    /* Open MPI writes to TCP connections whose other end may have been killed,
     * and does not ask the kernel to leave out this signal.
     */
    (void)signal(SIGPIPE, SIG_IGN);
    rc = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    if (rc != MPI_SUCCESS || level < MPI_THREAD_SERIALIZED) {
        free(m);
        return osw_fail(err, OSW_SYSTEM, "cannot start MPI with threads");
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    m->comm = MPI_COMM_WORLD;
    m->base.ops = &mpi_ops;
    MPI_Comm_rank(m->comm, &m->base.rank);
    MPI_Comm_size(m->comm, &m->base.size);
    m->n_flying = calloc((size_t)m->base.size, sizeof(*m->n_flying));
    m->forgotten = calloc((size_t)m->base.size, sizeof(*m->forgotten));
    if (!m->n_flying || !m->forgotten)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %d ranks",
                        m->base.size);
    gethostname(m->base.host, sizeof(m->base.host) - 1);
    m->base.root_fd = -1;
    find_neighbours(&m->base);
    *mine = &m->base;
    *other = NULL;
    return 0;
}
