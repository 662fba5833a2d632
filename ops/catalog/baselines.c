/* ops/catalog/baselines.c - which implementations speedups are relative to */
#include "ops/catalog/baselines.h"

#include <string.h>

enum { MAX_NAMES = 16 /* of one device */ };

/* By name, best first: vendor's libraries, torch's operator, a plain loop. */
static const struct order {
    const char *device;
    const char *names[MAX_NAMES];
} orders[] = {
    {"cpu", {"openblas", "onednn", "aten", "plain"}},
    {"cuda",
     {"cublaslt", "cudnn", "cub", "nccl", "memcpy", "memset", "aten", "plain"}},
};

static bool add(osw_arena_t *arena, const struct osw_op *op, const char *name,
                const char **list)
{
    const struct osw_op_file *impl = osw_op_impl(op, name);

    if (!impl || osw_baselines_rank(*list, name) >= 0)
        return true;
    *list = osw_arena_printf(arena, "%s%s%s", *list, **list ? "," : "", name);
    return *list != NULL;
}

const char *osw_baselines_of(osw_arena_t *arena, const struct osw_op *op,
                             const char *device, const char *asked)
{
    const char *list = "";
    bool ok = add(arena, op, asked, &list);

    for (size_t i = 0; ok && i < op->n_baselines; i++)
        ok = add(arena, op, op->baselines[i], &list);
    for (size_t d = 0; d < sizeof(orders) / sizeof(orders[0]); d++)
        for (size_t i = 0; ok && i < MAX_NAMES && orders[d].names[i] &&
                           strcmp(orders[d].device, device) == 0;
             i++)
            ok = add(arena, op, orders[d].names[i], &list);
    return ok ? list : NULL;
}

/* Move *at past the next name; its length, 0 at the end. */
static size_t next(const char **at, const char **name)
{
    size_t n = strcspn(*at, ",");

    *name = *at;
    *at += n + ((*at)[n] == ',');
    return n;
}

int osw_baselines_rank(const char *list, const char *name)
{
    const char *one;
    size_t n;

    for (int i = 0; (n = next(&list, &one)) > 0; i++)
        if (strlen(name) == n && strncmp(one, name, n) == 0)
            return i;
    return -1;
}

bool osw_baselines_at(const char *list, int i, char *name, size_t size)
{
    const char *one;
    size_t n;

    while ((n = next(&list, &one)) > 0)
        if (i-- == 0) {
            n = n < size ? n : size - 1;
            memcpy(name, one, n);
            name[n] = '\0';
            return true;
        }
    return false;
}
