/* mpi_runner/ranks/rank_objects.c - compiled code of a worker rank, by way of
 * the coordinator */
#include "mpi_runner/ranks/rank_objects.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/deadline.h"
#include "common/log.h"
#include "mpi_runner/ranks/rank_send.h"
#include "mpi_runner/transport/object.h"
#include "ops/build/node_store.h"

enum { BACKLOG_BYTES = 256 << 10 }; /* unsent, before more is queued */

static const int64_t offer_limit_ns = (int64_t)20 * 1000000000;
static const int64_t offer_nap_ns = 1000000;
static const int64_t gap_ns = 300000000; /* between two looks: it was away */

static const char *suffix_of(enum osw_object_kind kind)
{
    return kind == OSW_OBJECT_CODE ? "so" : "err";
}

/* An object that was asked for. */
struct fetch {
    struct fetch *next;
    char id[OSW_MSG_DIGITS + 1];
    enum osw_build_answer answer;
    struct osw_object_parts parts;
};

struct osw_rank_objects {
    struct osw_rank *rank;
    void (*tick)(void *arg);
    struct osw_node_store store;
    struct osw_build_share share;
    struct fetch *fetches;
    bool said; /* that it does not work: once is enough */
};

bool osw_rank_objects_help(int n_local, int n_workers)
{
    return n_local < n_workers;
}

static void say(struct osw_rank_objects *o, const char *why)
{
    if (!o->said)
        osw_log(OSW_LOG_WARNING,
                "compiled code is read from the build cache, not kept on this "
                "node: %s",
                why);
    o->said = true;
}

/* --- what was asked for --- */

static struct fetch **find(struct osw_rank_objects *o, const char *id)
{
    struct fetch **at = &o->fetches;

    while (*at && strcmp((*at)->id, id) != 0)
        at = &(*at)->next;
    return at;
}

static void drop(struct fetch **at)
{
    struct fetch *f = *at;

    *at = f->next;
    osw_object_parts_free(&f->parts);
    free(f);
}

static enum osw_build_answer ask(struct osw_rank_objects *o, const char *id)
{
    struct osw_msg m = {.type = OSW_MSG_WANT, .u.want = {.id = id}};
    struct fetch *f = calloc(1, sizeof(*f));

    if (!f)
        return OSW_BUILD_ALONE;
    snprintf(f->id, sizeof(f->id), "%s", id);
    f->answer = OSW_BUILD_WAIT;
    f->next = o->fetches;
    o->fetches = f;
    osw_rank_post(o->rank, &m);
    osw_rank_flush(o->rank, true);
    return f->answer;
}

static enum osw_build_answer want(void *arg, const char *id)
{
    struct osw_rank_objects *o = arg;
    struct fetch **at = find(o, id);
    enum osw_build_answer answer;

    if (!*at)
        return ask(o, id);
    answer = (*at)->answer;
    if (osw_rank_failed(o->rank) || o->rank->ended)
        answer = OSW_BUILD_ALONE;
    if (answer != OSW_BUILD_WAIT)
        drop(at);
    return answer;
}

static void give_up(void *arg, const char *id)
{
    struct fetch **at = find(arg, id);

    if (*at)
        drop(at);
    say(arg, "it did not come in time");
}

/* A whole object: into the folder with it. */
static enum osw_build_answer keep(struct osw_rank_objects *o,
                                  const struct fetch *f)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (osw_node_store_put(&o->store, f->id, suffix_of(f->parts.kind),
                           f->parts.data, f->parts.size, &err) == 0)
        return OSW_BUILD_STORED;
    say(o, err.text);
    return OSW_BUILD_ALONE;
}

static enum osw_build_answer join(struct osw_rank_objects *o, struct fetch *f,
                                  const struct osw_msg_object *m)
{
    struct osw_error err = OSW_ERROR_INIT;
    int rc = osw_object_join(&f->parts, m, &err);

    if (rc > 0)
        return keep(o, f);
    if (rc < 0)
        say(o, err.text);
    return rc == 0 ? OSW_BUILD_WAIT : OSW_BUILD_ALONE;
}

void osw_rank_objects_take(osw_rank_objects_t *o,
                           const struct osw_msg_object *m)
{
    struct fetch *f = o ? *find(o, m->id) : NULL;

    if (!f || f->answer != OSW_BUILD_WAIT) {
        struct osw_msg none = osw_object_word(m->id, OSW_OBJECT_NONE);

        if (o && m->kind == OSW_OBJECT_MAKE) /* it is not waited for */
            osw_rank_post(o->rank, &none);
        return;
    }
    if (m->kind == OSW_OBJECT_MAKE)
        f->answer = OSW_BUILD_MAKE;
    else if (m->kind == OSW_OBJECT_NONE)
        f->answer = OSW_BUILD_ALONE;
    else
        f->answer = join(o, f, m);
}

/* --- what was made --- */

/* The file as a whole; the caller frees it.  NULL with err set. */
static unsigned char *read_object(const char *path, uint32_t *size,
                                  struct osw_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char *data = NULL;
    struct stat st;
    ssize_t n = 1;

    *size = 0;
    if (fd < 0 || fstat(fd, &st) < 0)
        osw_fail_sys(err, errno, "cannot read '%s'", path);
    else if (st.st_size < 1 || st.st_size > OSW_MSG_MAX_OBJECT)
        osw_fail(err, OSW_BAD_INPUT, "'%s' has %lld bytes, expected 1 to %d",
                 path, (long long)st.st_size, OSW_MSG_MAX_OBJECT);
    else if (!(data = malloc((size_t)st.st_size)))
        osw_fail(err, OSW_NO_MEMORY, "no memory for '%s'", path);
    while (data && n > 0 && *size < (uint32_t)st.st_size) {
        n = read(fd, data + *size, (size_t)st.st_size - *size);
        *size += n > 0 ? (uint32_t)n : 0;
    }
    if (data && *size < (uint32_t)st.st_size) {
        osw_fail_sys(err, n < 0 ? errno : EIO, "cannot read '%s'", path);
        free(data);
        data = NULL;
    }
    if (fd >= 0)
        close(fd);
    return data;
}

static bool has_room(struct osw_rank_objects *o, struct osw_deadline *deadline)
{
    struct osw_rank *l = o->rank;

    while (!osw_rank_failed(l) && !l->ended &&
           osw_outbox_waiting(&l->link.out) > (size_t)BACKLOG_BYTES) {
        if (osw_deadline_left(deadline, osw_clock_ns(), gap_ns) <= 0)
            return false;
        osw_clock_sleep_ns(offer_nap_ns);
        o->tick(l);
    }
    return !osw_rank_failed(l) && !l->ended;
}

/* In chunks, as fast as they leave; false: it takes too long. */
static bool send_object(struct osw_rank_objects *o,
                        const struct osw_object *object)
{
    struct osw_rank *l = o->rank;
    struct osw_deadline deadline =
        osw_deadline_in(offer_limit_ns, osw_clock_ns());

    for (uint32_t at = 0; at < object->size;) {
        struct osw_msg m = osw_object_cut(object, at);

        if (!has_room(o, &deadline))
            return false;
        osw_rank_post(l, &m);
        osw_rank_flush(l, true);
        at += m.u.object.n;
    }
    return true;
}

static bool offer_object(struct osw_rank_objects *o, struct osw_object *object)
{
    struct osw_error err = OSW_ERROR_INIT;

    osw_object_sum(object);
    if (osw_node_store_put(&o->store, object->id, suffix_of(object->kind),
                           object->data, object->size, &err) < 0)
        say(o, err.text);
    if (send_object(o, object))
        return true;
    say(o, "it could not be sent in time");
    return false;
}

static bool offer_result(struct osw_rank_objects *o, const char *id,
                         const struct osw_build_result *result)
{
    struct osw_object object = {.id = id, .kind = OSW_OBJECT_CODE};
    struct osw_error err = OSW_ERROR_INIT;
    unsigned char *data;
    bool sent;

    if (result->failed) {
        object.kind = OSW_OBJECT_REFUSAL;
        object.data = (const unsigned char *)result->output;
        object.size = (uint32_t)strlen(result->output);
        return object.size > 0 && offer_object(o, &object);
    }
    data = read_object(result->path, &object.size, &err);
    if (!data) {
        say(o, err.text);
        return false;
    }
    object.data = data;
    sent = offer_object(o, &object);
    free(data);
    return sent;
}

static void offer(void *arg, const char *id,
                  const struct osw_build_result *result)
{
    struct osw_rank_objects *o = arg;
    struct osw_msg none = osw_object_word(id, OSW_OBJECT_NONE);

    if (!result || !offer_result(o, id, result))
        osw_rank_post(o->rank, &none);
    osw_rank_flush(o->rank, true);
}

/* --- begin and end --- */

/* The same on all ranks: the coordinator's process has no twin.  Of a series
 * each campaign has a name of its own: files may be edited between two.
 */
static void name_campaign(const struct osw_msg_campaign *c, uint32_t number,
                          char name[33])
{
    char digits[OSW_MSG_DIGITS + 1], text[512];
    SHA2_CTX sum;

    snprintf(text, sizeof(text), "%u %.255s %" PRIu64 " %" PRIu64 " %" PRIu32,
             (unsigned)geteuid(), c->host, c->pid, c->born, number);
    SHA256Init(&sum);
    SHA256Update(&sum, (const uint8_t *)text, strlen(text));
    SHA256End(&sum, digits);
    snprintf(name, 33, "%.32s", digits);
}

static int open_store(struct osw_rank_objects *o, const struct osw_rank *l,
                      const struct osw_msg_campaign *c, struct osw_error *err)
{
    char name[33];

    name_campaign(c, l->n_campaigns, name);
    return osw_node_store_open(&o->store, getenv("OPSWEEP_NODE_CACHE"), name,
                               err);
}

osw_rank_objects_t *osw_rank_objects_open(struct osw_rank *l,
                                          const struct osw_msg_campaign *c,
                                          void (*tick)(void *arg))
{
    const struct osw_transport *t = l->link.transport;
    const char *wish = getenv("OPSWEEP_NODE_CACHE");
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_rank_objects *o;

    if (t->local_index == 0)
        osw_node_store_sweep(wish);
    if (osw_node_store_is_off(wish) ||
        !osw_rank_objects_help(t->n_local, t->size - 1))
        return NULL;
    o = calloc(1, sizeof(*o));
    if (!o)
        return NULL;
    if (open_store(o, l, c, &err) < 0) {
        if (t->local_index == 0)
            say(o, err.text);
        free(o);
        return NULL;
    }
    o->rank = l;
    o->tick = tick;
    o->share = (struct osw_build_share){
        .dir = o->store.dir,
        .want = want,
        .give_up = give_up,
        .offer = offer,
        .arg = o,
    };
    return o;
}

static void close_store(osw_rank_objects_t *o)
{
    while (o->fetches)
        drop(&o->fetches);
    osw_node_store_close(&o->store);
}

bool osw_rank_objects_renew(osw_rank_objects_t *o,
                            const struct osw_msg_campaign *c)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (!o)
        return true;
    close_store(o);
    return open_store(o, o->rank, c, &err) == 0;
}

void osw_rank_objects_close(osw_rank_objects_t *o)
{
    if (!o)
        return;
    close_store(o);
    free(o);
}

const struct osw_build_share *
osw_rank_objects_share(const osw_rank_objects_t *o)
{
    return o ? &o->share : NULL;
}
