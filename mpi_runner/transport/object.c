/* mpi_runner/transport/object.c - compiled code as messages: cut, joined,
 * verified */
#include "mpi_runner/transport/object.h"

#include <stdlib.h>
#include <string.h>

void osw_object_sum(struct osw_object *o)
{
    SHA2_CTX sum;

    SHA256Init(&sum);
    SHA256Update(&sum, o->data, o->size);
    SHA256End(&sum, o->sha256);
}

struct osw_msg osw_object_cut(const struct osw_object *o, uint32_t offset)
{
    uint32_t left = o->size - offset;

    return (struct osw_msg){
        .type = OSW_MSG_OBJECT,
        .u.object = {.id = o->id,
                     .kind = (uint8_t)o->kind,
                     .size = o->size,
                     .offset = offset,
                     .sha256 = o->sha256,
                     .n = left < OSW_MSG_MAX_CHUNK ? left : OSW_MSG_MAX_CHUNK,
                     .bytes = o->data + offset},
    };
}

struct osw_msg osw_object_word(const char *id, enum osw_object_kind kind)
{
    return (struct osw_msg){
        .type = OSW_MSG_OBJECT,
        .u.object = {.id = id, .kind = (uint8_t)kind, .sha256 = ""},
    };
}

void osw_object_parts_free(struct osw_object_parts *parts)
{
    free(parts->data);
    *parts = (struct osw_object_parts){.data = NULL};
}

static int begin(struct osw_object_parts *parts, const struct osw_msg_object *m,
                 struct osw_error *err)
{
    osw_object_parts_free(parts);
    parts->data = malloc(m->size);
    if (!parts->data)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %u bytes of code",
                        m->size);
    parts->size = m->size;
    parts->kind = (enum osw_object_kind)m->kind;
    memcpy(parts->sha256, m->sha256, sizeof(parts->sha256));
    SHA256Init(&parts->sum);
    return 0;
}

static int verify(struct osw_object_parts *parts, struct osw_error *err)
{
    char found[OSW_MSG_DIGITS + 1];

    SHA256End(&parts->sum, found);
    return strcmp(found, parts->sha256) == 0
               ? 1
               : osw_fail(err, OSW_PROTOCOL,
                          "%u bytes of code with SHA-256 %.16s..., expected "
                          "%.16s...",
                          parts->size, found, parts->sha256);
}

static int add(struct osw_object_parts *parts, const struct osw_msg_object *m,
               struct osw_error *err)
{
    if (m->offset == 0 && begin(parts, m, err) < 0)
        return -1;
    if (!parts->data || m->offset != parts->used || m->size != parts->size ||
        m->kind != parts->kind || strcmp(m->sha256, parts->sha256) != 0)
        return osw_fail(err, OSW_PROTOCOL,
                        "code's bytes from %u of %u on, expected %u of %u",
                        m->offset, m->size, parts->used, parts->size);
    memcpy(parts->data + parts->used, m->bytes, m->n);
    parts->used += m->n;
    SHA256Update(&parts->sum, m->bytes, m->n);
    return parts->used < parts->size ? 0 : verify(parts, err);
}

int osw_object_join(struct osw_object_parts *parts,
                    const struct osw_msg_object *m, struct osw_error *err)
{
    int rc = add(parts, m, err);

    if (rc < 0)
        osw_object_parts_free(parts);
    return rc;
}
