/* mpi_runner/transport/msg.c - what coordinator and workers say to each other
 */
#include "mpi_runner/transport/msg.h"

#include <string.h>

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Of all members of a gang. */
enum { MAX_PARTS = OSW_GANG_MAX * OSW_GANG_MAX_EXCHANGE };

/* --- fields --- */

enum field_type {
    FIELD_u8,
    FIELD_u32,
    FIELD_u64,
    FIELD_i32,
    FIELD_i64,
    FIELD_f64,
    FIELD_str,
};

struct field {
    const char *name;
    enum field_type type;
    size_t offset; /* in the message's struct */
};

static void write_u8(struct osw_writer *w, const void *p)
{
    osw_write_u8(w, *(const uint8_t *)p);
}

static void write_u32(struct osw_writer *w, const void *p)
{
    osw_write_u32(w, *(const uint32_t *)p);
}

static void write_u64(struct osw_writer *w, const void *p)
{
    osw_write_u64(w, *(const uint64_t *)p);
}

static void write_i32(struct osw_writer *w, const void *p)
{
    osw_write_i32(w, *(const int32_t *)p);
}

static void write_i64(struct osw_writer *w, const void *p)
{
    osw_write_i64(w, *(const int64_t *)p);
}

static void write_f64(struct osw_writer *w, const void *p)
{
    osw_write_f64(w, *(const double *)p);
}

static void write_str(struct osw_writer *w, const void *p)
{
    osw_write_str(w, *(const char *const *)p);
}

static void read_u8(struct osw_reader *r, void *p)
{
    *(uint8_t *)p = osw_read_u8(r);
}

static void read_u32(struct osw_reader *r, void *p)
{
    *(uint32_t *)p = osw_read_u32(r);
}

static void read_u64(struct osw_reader *r, void *p)
{
    *(uint64_t *)p = osw_read_u64(r);
}

static void read_i32(struct osw_reader *r, void *p)
{
    *(int32_t *)p = osw_read_i32(r);
}

static void read_i64(struct osw_reader *r, void *p)
{
    *(int64_t *)p = osw_read_i64(r);
}

static void read_f64(struct osw_reader *r, void *p)
{
    *(double *)p = osw_read_f64(r);
}

static void read_str(struct osw_reader *r, void *p)
{
    *(const char **)p = osw_read_str(r);
}

static const struct {
    void (*write)(struct osw_writer *w, const void *p);
    void (*read)(struct osw_reader *r, void *p);
} field_types[] = {
    [FIELD_u8] = {write_u8, read_u8},    [FIELD_u32] = {write_u32, read_u32},
    [FIELD_u64] = {write_u64, read_u64}, [FIELD_i32] = {write_i32, read_i32},
    [FIELD_i64] = {write_i64, read_i64}, [FIELD_f64] = {write_f64, read_f64},
    [FIELD_str] = {write_str, read_str},
};

/* --- what follows the fields of some messages, or must hold of them --- */

static void write_cells(const void *m, struct osw_writer *w)
{
    const struct osw_msg_bundle *b = m;

    osw_write_u16(w, (uint16_t)b->n);
    for (uint32_t i = 0; i < b->n; i++) {
        osw_write_u32(w, b->k[i]);
        osw_write_u64(w, b->keys[i]);
        osw_write_str(w, b->impls[i]);
    }
    for (uint32_t i = 0; i < b->size; i++) {
        osw_write_u32(w, b->members[i].rank);
        osw_write_u32(w, b->members[i].leader);
    }
}

static int read_gang(struct osw_msg_bundle *b, struct osw_reader *r,
                     struct osw_msg_space *space, struct osw_error *err)
{
    struct osw_msg_member *m = space->members;

    if (b->size != 0 &&
        (b->size == 1 || b->size > OSW_GANG_MAX || b->rank >= b->size))
        return osw_fail(err, OSW_PROTOCOL,
                        "rank %u of a gang of %u, expected a gang of 2 to %d",
                        b->rank, b->size, OSW_GANG_MAX);
    for (uint32_t i = 0; i < b->size; i++) {
        m[i].rank = osw_read_u32(r);
        m[i].leader = osw_read_u32(r);
        if (r->overrun)
            return osw_fail(err, OSW_PROTOCOL, "ends in its members");
        if (m[i].leader > i || m[m[i].leader].leader != m[i].leader)
            return osw_fail(err, OSW_PROTOCOL,
                            "member %u with leader %u, expected the first one "
                            "of its node",
                            i, m[i].leader);
    }
    b->members = m;
    return 0;
}

bool osw_msg_on_one_node(const struct osw_msg_bundle *b)
{
    for (uint32_t i = 0; i < b->size; i++)
        if (b->members[i].leader != 0)
            return false;
    return true;
}

static int read_cells(void *m, struct osw_reader *r,
                      struct osw_msg_space *space, struct osw_error *err)
{
    struct osw_msg_bundle *b = m;

    b->n = osw_read_u16(r);
    if (!r->overrun && (b->n == 0 || b->n > OSW_MSG_MAX_CELLS))
        return osw_fail(err, OSW_PROTOCOL, "%u cells, expected 1 to %d", b->n,
                        OSW_MSG_MAX_CELLS);
    for (uint32_t i = 0; i < b->n && !r->overrun; i++) {
        space->k[i] = osw_read_u32(r);
        space->keys[i] = osw_read_u64(r);
        space->impls[i] = osw_read_str(r);
    }
    if (r->overrun)
        return osw_fail(err, OSW_PROTOCOL, "ends in its cells");
    if (b->check != OSW_CHECK_FULL && b->check != OSW_CHECK_EXACT &&
        b->check != OSW_CHECK_FREIVALDS)
        return osw_fail(err, OSW_PROTOCOL, "unknown check %u", b->check);
    b->k = space->k;
    b->keys = space->keys;
    b->impls = space->impls;
    return read_gang(b, r, space, err);
}

static int check_periods(void *m, struct osw_reader *r,
                         struct osw_msg_space *space, struct osw_error *err)
{
    const struct osw_msg_campaign *c = m;

    (void)r;
    (void)space;
    if (c->heartbeat_ns > 0 && c->silence_ns > 0)
        return 0;
    return osw_fail(err, OSW_PROTOCOL,
                    "expected periods above 0, found %lld and %lld ns",
                    (long long)c->heartbeat_ns, (long long)c->silence_ns);
}

static void write_record(const void *m, struct osw_writer *w)
{
    osw_record_encode(&((const struct osw_msg_result *)m)->record, w);
}

static int read_record(void *m, struct osw_reader *r,
                       struct osw_msg_space *space, struct osw_error *err)
{
    return osw_record_decode(r, &((struct osw_msg_result *)m)->record,
                             space->samples, err);
}

static void write_device(const void *m, struct osw_writer *w)
{
    osw_device_info_encode(&((const struct osw_msg_ready *)m)->device, w);
}

static int read_device(void *m, struct osw_reader *r,
                       struct osw_msg_space *space, struct osw_error *err)
{
    (void)space;
    return osw_device_info_decode(r, &((struct osw_msg_ready *)m)->device, err);
}

static bool is_digits(const char *s)
{
    return strspn(s, "0123456789abcdef") == OSW_MSG_DIGITS &&
           s[OSW_MSG_DIGITS] == '\0';
}

static int check_id(const char *id, struct osw_error *err)
{
    return is_digits(id)
               ? 0
               : osw_fail(err, OSW_PROTOCOL, "id '%.70s', expected %d digits",
                          id, OSW_MSG_DIGITS);
}

static int check_want(void *m, struct osw_reader *r,
                      struct osw_msg_space *space, struct osw_error *err)
{
    (void)r;
    (void)space;
    return check_id(((const struct osw_msg_want *)m)->id, err);
}

static void write_bytes(struct osw_writer *w, const void *bytes, uint32_t n)
{
    void *to;

    osw_write_u16(w, (uint16_t)n);
    to = osw_write_raw(w, n);
    if (to && n)
        memcpy(to, bytes, n);
}

/* At most that many; borrowed from the message. */
static int read_bytes(struct osw_reader *r, const void **bytes, uint32_t *n,
                      uint32_t most, struct osw_error *err)
{
    *n = osw_read_u16(r);
    *bytes = osw_read_raw(r, *n);
    if (r->overrun)
        return osw_fail(err, OSW_PROTOCOL, "ends in its bytes");
    if (*n > most)
        return osw_fail(err, OSW_PROTOCOL, "%u bytes, expected at most %u", *n,
                        most);
    return 0;
}

static void write_chunk(const void *m, struct osw_writer *w)
{
    const struct osw_msg_object *o = m;

    write_bytes(w, o->bytes, o->n);
}

static int check_object(const struct osw_msg_object *o, struct osw_error *err)
{
    bool bytes = o->kind == OSW_OBJECT_CODE || o->kind == OSW_OBJECT_REFUSAL;

    if (o->kind > OSW_OBJECT_REFUSAL)
        return osw_fail(err, OSW_PROTOCOL, "unknown kind %u", o->kind);
    if (o->size > OSW_MSG_MAX_OBJECT || o->n > OSW_MSG_MAX_CHUNK ||
        o->offset > o->size || o->n > o->size - o->offset)
        return osw_fail(err, OSW_PROTOCOL,
                        "%u bytes at %u of %u, expected at most %d of %d", o->n,
                        o->offset, o->size, OSW_MSG_MAX_CHUNK,
                        OSW_MSG_MAX_OBJECT);
    if (bytes ? o->n == 0 || !is_digits(o->sha256)
              : o->size > 0 || *o->sha256 != '\0')
        return osw_fail(err, OSW_PROTOCOL,
                        "kind %u with %u bytes and SHA-256 '%.70s'", o->kind,
                        o->n, o->sha256);
    return check_id(o->id, err);
}

static int read_chunk(void *m, struct osw_reader *r,
                      struct osw_msg_space *space, struct osw_error *err)
{
    struct osw_msg_object *o = m;

    (void)space;
    if (read_bytes(r, &o->bytes, &o->n, UINT16_MAX, err) < 0)
        return -1;
    return check_object(o, err);
}

static void write_part(const void *m, struct osw_writer *w)
{
    const struct osw_msg_part *p = m;

    write_bytes(w, p->bytes, p->n);
}

static int read_part(void *m, struct osw_reader *r, struct osw_msg_space *space,
                     struct osw_error *err)
{
    struct osw_msg_part *p = m;

    (void)space;
    return read_bytes(r, &p->bytes, &p->n, OSW_GANG_MAX_EXCHANGE, err);
}

static void write_parts(const void *m, struct osw_writer *w)
{
    const struct osw_msg_parts *p = m;

    write_bytes(w, p->bytes, p->n);
}

static int read_parts(void *m, struct osw_reader *r,
                      struct osw_msg_space *space, struct osw_error *err)
{
    struct osw_msg_parts *p = m;

    (void)space;
    return read_bytes(r, &p->bytes, &p->n, MAX_PARTS, err);
}

static void write_flow(const void *m, struct osw_writer *w)
{
    const struct osw_msg_flow *f = m;

    write_bytes(w, f->bytes, f->n);
}

static int read_flow(void *m, struct osw_reader *r, struct osw_msg_space *space,
                     struct osw_error *err)
{
    struct osw_msg_flow *f = m;

    (void)space;
    return read_bytes(r, &f->bytes, &f->n, OSW_MSG_MAX_CHUNK, err);
}

/* --- the table --- */

#define FIELD(m, wire, type, field)                                            \
    {#field, FIELD_##wire, offsetof(struct osw_msg_##m, field)},
#define X(number, NAME, name, to)                                              \
    static const struct field name##_fields[] = {                              \
        OSW_MSG_##NAME##_MAP(FIELD, name)};
OSW_MSG_MAP(X)
#undef X

static const struct row {
    const char *name;
    int to;
    const struct field *fields;
    size_t n_fields;
} rows[] = {
#define X(number, NAME, name, to)                                              \
    [number] = {#name, OSW_MSG_##to, name##_fields, N_ELEM(name##_fields)},
    OSW_MSG_MAP(X)
#undef X
};

/* (optional) What follows the fields, and checks. */
static const struct tail {
    void (*write)(const void *m, struct osw_writer *w);
    int (*read)(void *m, struct osw_reader *r, struct osw_msg_space *space,
                struct osw_error *err);
} tails[N_ELEM(rows)] = {
    [OSW_MSG_CAMPAIGN] = {NULL, check_periods},
    [OSW_MSG_READY] = {write_device, read_device},
    [OSW_MSG_BUNDLE] = {write_cells, read_cells},
    [OSW_MSG_RESULT] = {write_record, read_record},
    [OSW_MSG_WANT] = {NULL, check_want},
    [OSW_MSG_OBJECT] = {write_chunk, read_chunk},
    [OSW_MSG_PART] = {write_part, read_part},
    [OSW_MSG_PARTS] = {write_parts, read_parts},
    [OSW_MSG_FLOW] = {write_flow, read_flow},
};

const char *osw_msg_name(int type)
{
    if (type < 0 || (size_t)type >= N_ELEM(rows) || !rows[type].name)
        return "?";
    return rows[type].name;
}

/* --- out --- */

/* A text that the wire would cut is an error, not another text. */
static int check_texts(const struct row *row, const char *m,
                       struct osw_error *err)
{
    for (size_t i = 0; i < row->n_fields; i++) {
        const struct field *f = &row->fields[i];
        size_t n;

        if (f->type != FIELD_str)
            continue;
        n = strlen(*(const char *const *)(const void *)(m + f->offset));
        if (n > UINT16_MAX)
            return osw_fail(err, OSW_BAD_INPUT,
                            "message '%s': '%s' has %zu bytes, at most %d",
                            row->name, f->name, n, UINT16_MAX);
    }
    return 0;
}

static int encode(const void *msg, struct osw_writer *w, struct osw_error *err)
{
    const struct osw_msg *m = msg;
    const struct row *row = &rows[m->type];
    const char *fields = (const char *)&m->u;

    if (check_texts(row, fields, err) < 0)
        return -1;
    if (m->type == OSW_MSG_BUNDLE && m->u.bundle.n > OSW_MSG_MAX_CELLS)
        return osw_fail(err, OSW_BAD_INPUT,
                        "message 'bundle': %u cells, at most %d", m->u.bundle.n,
                        OSW_MSG_MAX_CELLS);
    if (m->type == OSW_MSG_OBJECT && check_object(&m->u.object, err) < 0)
        return osw_error_in(err, "message 'object'");
    for (size_t i = 0; i < row->n_fields; i++)
        field_types[row->fields[i].type].write(w,
                                               fields + row->fields[i].offset);
    if (tails[m->type].write)
        tails[m->type].write(fields, w);
    return 0;
}

int osw_msg_post(struct osw_outbox *out, const struct osw_msg *msg,
                 struct osw_error *err)
{
    return osw_outbox_add(out, (uint8_t)msg->type, encode, msg, err);
}

/* --- in --- */

static int read_fields(const struct row *row, struct osw_reader *r, char *m,
                       struct osw_error *err)
{
    for (size_t i = 0; i < row->n_fields; i++) {
        field_types[row->fields[i].type].read(r, m + row->fields[i].offset);
        if (r->overrun)
            return osw_fail(err, OSW_PROTOCOL, "ends in field '%s'",
                            row->fields[i].name);
    }
    return 0;
}

int osw_msg_decode(int to, uint8_t type, const void *data, size_t n,
                   struct osw_msg_space *space, struct osw_msg *msg,
                   struct osw_error *err)
{
    struct osw_reader r = osw_reader(data, n);
    struct osw_msg got = {.type = (enum osw_msg_type)type};
    const struct row *row;

    if (type >= N_ELEM(rows) || !rows[type].name)
        return osw_fail(err, OSW_PROTOCOL, "message of unknown type %u", type);
    row = &rows[type];
    if (!(row->to & to))
        return osw_fail(err, OSW_PROTOCOL, "message '%s' is not for a %s",
                        row->name,
                        to == OSW_MSG_TO_WORKER ? "worker" : "coordinator");
    if (read_fields(row, &r, (char *)&got.u, err) < 0 ||
        (tails[type].read && tails[type].read(&got.u, &r, space, err) < 0))
        return osw_error_in(err, "message '%s'", row->name);
    if (!osw_reader_done(&r))
        return osw_fail(err, OSW_PROTOCOL, "message '%s': %zu bytes too many",
                        row->name, r.size - r.used);
    *msg = got;
    return 0;
}
