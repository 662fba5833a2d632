/* tests/gang/gang.c - a gang of judges on one machine, without a coordinator
 *
 *     gang [-d DEVICE] [-t SECONDS] [-k RANK] [-c CASE] FOLDER
 * [IMPLEMENTATION...]
 *
 * Judges the cases of a collective op's folder by as many workers as its
 * "world" says, each a process of its own with its own judge.  Their exchanges
 * go through shared memory.  Prints a line for each cell, by rank 0:
 * implementation, case, state, reason.
 *
 *     -d   its kind [cpu]; each rank has one of its own
 *     -t   deadline of a call [10]
 *     -k   this rank's worker ends in the middle of the first cell
 *     -c   only this case, from 0
 *
 * Exit status 1: an exchange failed, or a worker did.
 */
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/paths.h"
#include "ops/cases/gen_input.h"
#include "ops/catalog/op_load.h"
#include "ops/record/state.h"
#include "worker/worker.h"

enum {
    PAUSE_NS = 50000, /* of a member that waits; longer each time, up to */
    LONGEST_PAUSE_NS = 2000000,
    KILLED_AT = 4, /* exchanges */
};

/* Shared by all.  Two rounds of exchanges can be under way at a time. */
struct table {
    _Atomic uint64_t rounds[OSW_GANG_MAX]; /* that each rank has begun */
    _Atomic int lost;                      /* a rank ended: exchanges fail */
    unsigned char said[2][OSW_GANG_MAX][OSW_GANG_MAX_EXCHANGE];
};

struct member {
    struct table *table;
    struct osw_gang gang;
    uint64_t n; /* exchanges so far */
    bool killed;
    const char *device;
    const char *const *impls;
    size_t at; /* case */
};

static int exchange(void *arg, const void *mine, uint32_t bytes, void *all,
                    int64_t deadline_ns, struct osw_error *err)
{
    struct member *m = arg;
    struct table *t = m->table;
    int64_t pause_ns = PAUSE_NS;

    memcpy(t->said[m->n % 2][m->gang.rank], mine, bytes);
    atomic_store(&t->rounds[m->gang.rank], ++m->n);
    if (m->killed && m->n == KILLED_AT)
        raise(SIGKILL);
    for (uint32_t i = 0; i < m->gang.size; i++)
        while (atomic_load(&t->rounds[i]) < m->n) {
            if (atomic_load(&t->lost))
                return osw_fail(err, OSW_CHILD, "a member is lost");
            if (osw_clock_ns() > deadline_ns)
                return osw_fail(err, OSW_TIMEOUT, "rank %u is late", i);
            osw_clock_sleep_ns(pause_ns);
            pause_ns += pause_ns < LONGEST_PAUSE_NS ? pause_ns / 4 : 0;
        }
    for (uint32_t i = 0; i < m->gang.size; i++)
        memcpy((unsigned char *)all + i * bytes, t->said[(m->n - 1) % 2][i],
               bytes);
    return 0;
}

static void print(void *arg, const struct osw_record *r)
{
    const struct member *m = arg;

    if (m->gang.rank > 0)
        return;
    printf("%s\t%zu\t%s\t%s\n", m->impls[r->cell], m->at,
           osw_state_name(r->status_id), r->reason);
    fflush(stdout);
}

/* One rank's worker: all cases, each as a bundle of its own. */
static int judge(struct member *m, const struct osw_op *op,
                 const struct osw_gen_cases *cases, size_t only, uint32_t n,
                 double timeout_s, struct osw_error *err)
{
    static const uint64_t keys[OSW_OP_MAX_FILES];
    struct osw_worker_config config = {
        .device = m->device,
        .rank = (int32_t)m->gang.rank,
        .local_index = (int32_t)m->gang.rank,
        .n_local = (int32_t)m->gang.size,
        .n_threads = 1,
        .max_bytes = UINT64_C(1) << 28,
        .keep_going = true,
        .profile = osw_profile_find("correct"),
        .deadline_ns = (int64_t)(timeout_s * 1e9),
        .objects_dir = osw_paths_objects_dir(NULL),
        .include_dir = osw_paths_include_dir(err),
        .sandbox_path = osw_paths_sandbox(err)};
    osw_worker_t *worker = osw_worker_create(&config, err);
    int rc = worker ? 0 : -1;

    for (m->at = 0; rc == 0 && m->at < cases->n; m->at++) {
        const struct osw_bundle bundle = {.attempt = 1,
                                          .op_dir = op->dir,
                                          .case_text = cases->at[m->at].text,
                                          .fill = cases->at[m->at].fill,
                                          .baselines = "",
                                          .check = OSW_CHECK_FULL,
                                          .flops = NAN,
                                          .bytes = NAN,
                                          .gang = &m->gang,
                                          .n_impls = n,
                                          .impls = m->impls,
                                          .cell_keys = keys};

        if (only == SIZE_MAX || only == m->at)
            rc = osw_worker_run(worker, &bundle, 1, print, m, err);
    }
    osw_worker_destroy(worker);
    return rc;
}

/* True: all ended well.  One that does not is a lost member for the others. */
static bool await_all(struct table *table, uint32_t n)
{
    bool good = true;

    for (int status; n > 0; n--)
        if (wait(&status) < 0 || status != 0) {
            good = false;
            atomic_store(&table->lost, 1);
        }
    return good;
}

static const char *const *impls_of(osw_arena_t *memory, const struct osw_op *op,
                                   char **named, uint32_t *n)
{
    const char **names =
        osw_arena_array(memory, op->n_impls + 1, sizeof(*names));

    for (*n = 0; names && *n < op->n_impls; (*n)++)
        names[*n] = op->impls[*n].name;
    if (!*named)
        return names;
    for (*n = 0; named[*n]; (*n)++)
        ;
    return (const char *const *)named;
}

int main(int argc, char **argv)
{
    osw_arena_t *memory = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_gen_cases cases;
    struct osw_op op;
    struct member m = {
        .device = "cpu",
        .gang = {.id = 1, .one_node = true, .exchange = exchange}};
    uint32_t n = 0;
    double timeout_s = 10;
    long killed = -1;
    size_t only = SIZE_MAX;

    for (int c; (c = getopt(argc, argv, "d:t:k:c:")) != -1;) {
        if (c == 'd')
            m.device = optarg;
        else if (c == 't')
            timeout_s = atof(optarg);
        else if (c == 'k')
            killed = atol(optarg);
        else if (c == 'c')
            only = (size_t)atol(optarg);
        else
            return 2;
    }
    m.table = mmap(NULL, sizeof(*m.table), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!memory || optind >= argc || m.table == MAP_FAILED ||
        osw_op_load(memory, argv[optind], m.device, &op, &err) < 0 ||
        osw_gen_input_load(memory, &op, &cases, &err) < 0) {
        fprintf(stderr, "gang: %s\n", err.text);
        return 2;
    }
    m.impls = impls_of(memory, &op, argv + optind + 1, &n);
    m.gang.size = (uint32_t)op.world;
    for (uint32_t rank = 0; rank < m.gang.size; rank++) {
        if (fork() != 0)
            continue;
        m.gang.rank = rank;
        m.gang.arg = &m;
        m.killed = killed == (long)rank;
        if (judge(&m, &op, &cases, only, n, timeout_s, &err) == 0)
            return 0;
        fprintf(stderr, "gang: rank %u: %s\n", rank, err.text);
        return 1;
    }
    n = await_all(m.table, m.gang.size) ? 0 : 1;
    osw_arena_destroy(memory);
    return (int)n;
}
