/* mpi_runner/transport/object_table.c - the coordinator's objects: who makes
 * one, who waits for it */
#include "mpi_runner/transport/object_table.h"

#include <stdlib.h>
#include <string.h>

#include "common/grow.h"
#include "mpi_runner/transport/object.h"

enum {
    N_CHAINS = 1024,
    MAX_OBJECTS = 1 << 16,
    MAX_SENDINGS = 1 << 20,
    MAX_WAITING = 1 << 20, /* for one object */
};

enum state {
    FREE,   /* no rank makes it, none waits */
    MAKING, /* `maker` does */
    HERE,
    LEFT_TO_EACH, /* it is not sent */
};

struct entry {
    struct entry *next; /* of its chain */
    char id[OSW_MSG_DIGITS + 1];
    enum state state;
    int maker;
    int *waiting; /* owned; [n_waiting] ranks */
    size_t n_waiting, size_waiting;
    uint64_t taken_bytes;          /* of the table's room */
    struct osw_object_parts parts; /* HERE: the whole */
    struct osw_object object;      /* HERE: borrows from parts and id */
};

/* What goes to a rank: an object from `offset` on, or a word. */
struct sending {
    struct entry *entry;
    int rank;
    enum osw_object_kind kind;
    uint32_t offset;
};

struct osw_object_table {
    struct entry *chains[N_CHAINS];
    size_t n_entries;
    uint64_t room_bytes;
    struct sending *sendings; /* owned; [n] */
    size_t n, size, at;       /* `at` is looked at next */
};

osw_object_table_t *osw_object_table_create(uint64_t max_bytes)
{
    osw_object_table_t *t = calloc(1, sizeof(*t));

    if (t)
        t->room_bytes = max_bytes;
    return t;
}

void osw_object_table_destroy(osw_object_table_t *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < N_CHAINS; i++)
        while (t->chains[i]) {
            struct entry *e = t->chains[i];

            t->chains[i] = e->next;
            osw_object_parts_free(&e->parts);
            free(e->waiting);
            free(e);
        }
    free(t->sendings);
    free(t);
}

static struct entry *find(osw_object_table_t *t, const char *id, bool add)
{
    char head[9] = "";
    struct entry **chain, *e;

    memcpy(head, id, sizeof(head) - 1);
    chain = &t->chains[strtoul(head, NULL, 16) % N_CHAINS];
    for (e = *chain; e && strcmp(e->id, id) != 0;)
        e = e->next;
    if (e || !add || t->n_entries == MAX_OBJECTS)
        return e;
    e = calloc(1, sizeof(*e));
    if (!e)
        return NULL;
    strcpy(e->id, id);
    e->next = *chain;
    *chain = e;
    t->n_entries++;
    return e;
}

/* --- what goes out --- */

static void send_to(osw_object_table_t *t, struct entry *e, int rank,
                    enum osw_object_kind kind)
{
    struct sending *p;

    if (t->n == MAX_SENDINGS)
        return;
    p = osw_grow(t->sendings, t->n, &t->size, sizeof(*p));
    if (!p)
        return;
    t->sendings = p;
    t->sendings[t->n++] = (struct sending){e, rank, kind, 0};
}

static void send_to_waiting(osw_object_table_t *t, struct entry *e,
                            enum osw_object_kind kind)
{
    for (size_t i = 0; i < e->n_waiting; i++)
        send_to(t, e, e->waiting[i], kind);
    e->n_waiting = 0;
}

bool osw_object_table_next(osw_object_table_t *t,
                           bool (*has_room)(void *arg, int rank), void *arg,
                           int *rank, struct osw_msg *m)
{
    for (size_t looked = 0; looked < t->n; looked++) {
        size_t i = t->at % t->n;
        struct sending *s = &t->sendings[i];
        bool last = s->kind == OSW_OBJECT_MAKE || s->kind == OSW_OBJECT_NONE;

        t->at = i + 1;
        if (!has_room(arg, s->rank))
            continue;
        *rank = s->rank;
        *m = last ? osw_object_word(s->entry->id, s->kind)
                  : osw_object_cut(&s->entry->object, s->offset);
        s->offset += m->u.object.n;
        if (last || s->offset == s->entry->object.size)
            *s = t->sendings[--t->n];
        return true;
    }
    return false;
}

/* --- what comes in --- */

static void add_waiting(struct entry *e, int rank)
{
    int *p;

    if (e->n_waiting == MAX_WAITING)
        return;
    p = osw_grow(e->waiting, e->n_waiting, &e->size_waiting, sizeof(*p));
    if (!p)
        return;
    e->waiting = p;
    e->waiting[e->n_waiting++] = rank;
}

static void let_make(osw_object_table_t *t, struct entry *e, int rank)
{
    e->state = MAKING;
    e->maker = rank;
    send_to(t, e, rank, OSW_OBJECT_MAKE);
}

void osw_object_table_want(osw_object_table_t *t, int rank, const char *id)
{
    struct entry *e = find(t, id, true);

    if (!e)
        return;
    if (e->state == FREE || (e->state == MAKING && e->maker == rank))
        let_make(t, e, rank);
    else if (e->state == MAKING)
        add_waiting(e, rank);
    else
        send_to(t, e, rank,
                e->state == HERE ? e->object.kind : OSW_OBJECT_NONE);
}

static void give_room_back(osw_object_table_t *t, struct entry *e)
{
    t->room_bytes += e->taken_bytes;
    e->taken_bytes = 0;
    osw_object_parts_free(&e->parts);
}

static void leave_to_each(osw_object_table_t *t, struct entry *e)
{
    e->state = LEFT_TO_EACH;
    give_room_back(t, e);
    send_to_waiting(t, e, OSW_OBJECT_NONE);
}

static int take_room(osw_object_table_t *t, struct entry *e, uint32_t size,
                     struct osw_error *err)
{
    give_room_back(t, e);
    if (size > t->room_bytes)
        return osw_fail(err, OSW_NO_MEMORY,
                        "no room for %u more bytes of compiled code", size);
    e->taken_bytes = size;
    t->room_bytes -= size;
    return 0;
}

static void publish(osw_object_table_t *t, struct entry *e)
{
    e->state = HERE;
    e->object = (struct osw_object){.id = e->id,
                                    .kind = e->parts.kind,
                                    .data = e->parts.data,
                                    .size = e->parts.size};
    memcpy(e->object.sha256, e->parts.sha256, sizeof(e->object.sha256));
    send_to_waiting(t, e, e->object.kind);
}

int osw_object_table_take(osw_object_table_t *t, int rank,
                          const struct osw_msg_object *m, struct osw_error *err)
{
    struct entry *e = find(t, m->id, false);
    int rc = 0;

    if (!e || e->state != MAKING || e->maker != rank)
        return 0; /* late: another rank was told to make it */
    if (m->n == 0) {
        leave_to_each(t, e);
        return 0;
    }
    if (m->offset == 0)
        rc = take_room(t, e, m->size, err);
    if (rc == 0)
        rc = osw_object_join(&e->parts, m, err);
    if (rc > 0)
        publish(t, e);
    if (rc < 0)
        leave_to_each(t, e);
    return rc < 0 ? -1 : 0;
}

/* --- losses --- */

static void forget_waiting(struct entry *e, int rank)
{
    size_t n = 0;

    for (size_t i = 0; i < e->n_waiting; i++)
        if (e->waiting[i] != rank)
            e->waiting[n++] = e->waiting[i];
    e->n_waiting = n;
}

static void lose_maker(osw_object_table_t *t, struct entry *e)
{
    give_room_back(t, e);
    e->state = FREE;
    if (e->n_waiting == 0)
        return;
    let_make(t, e, e->waiting[0]);
    forget_waiting(e, e->maker);
}

void osw_object_table_lost(osw_object_table_t *t, int rank)
{
    for (size_t i = 0; i < t->n;)
        if (t->sendings[i].rank == rank)
            t->sendings[i] = t->sendings[--t->n];
        else
            i++;
    for (size_t i = 0; i < N_CHAINS; i++)
        for (struct entry *e = t->chains[i]; e; e = e->next) {
            forget_waiting(e, rank);
            if (e->state == MAKING && e->maker == rank)
                lose_maker(t, e);
        }
}
