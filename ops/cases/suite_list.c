/* ops/cases/suite_list.c - cases being gathered: equal ones once */
#include "ops/cases/suite_list.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ops/notation/notation.h"
#include "ops/notation/tensor.h"

enum {
    SLOT_BYTES = 12, /* of one item: slots are a quarter to half full */
    LEAST_TEXT = 32, /* bytes of a case's text, where it is not known */
    MIB = 1024 * 1024,
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for cases");
}

static bool equal(const struct osw_suite_item *a,
                  const struct osw_suite_item *b)
{
    return strcmp(a->case_text, b->case_text) == 0 &&
           strcmp(a->op_name, b->op_name) == 0 && strcmp(a->fill, b->fill) == 0;
}

static uint64_t hash(uint64_t h, const char *s)
{
    while (*s)
        h = (h ^ (unsigned char)*s++) * 0x100000001b3u;
    return h ^ h >> 32;
}

/* The slot of an equal item, or the free one where it belongs. */
static uint32_t *find_slot(const struct osw_suite_list *list,
                           const struct osw_suite_item *item)
{
    uint64_t h = hash(0xcbf29ce484222325u, item->case_text);
    size_t i =
        (size_t)hash(hash(h, item->fill), item->op_name) & (list->n_slots - 1);

    while (list->slots[i] && !equal(&list->items[list->slots[i] - 1], item))
        i = (i + 1) & (list->n_slots - 1);
    return &list->slots[i];
}

/* Slots stay at most half full. */
static int grow(struct osw_suite_list *list, struct osw_error *err)
{
    size_t size = list->size ? 2 * list->size : 64;
    struct osw_suite_item *items;
    uint32_t *slots;

    if (list->n < list->size)
        return 0;
    items = realloc(list->items, size * sizeof(*items));
    if (!items)
        return no_memory(err);
    list->items = items;
    slots = calloc(2 * size, sizeof(*slots));
    if (!slots)
        return no_memory(err);
    free(list->slots);
    list->slots = slots;
    list->n_slots = 2 * size;
    list->size = size;
    for (size_t i = 0; i < list->n; i++)
        *find_slot(list, &list->items[i]) = (uint32_t)i + 1;
    return 0;
}

/* --- memory --- */

static uint64_t item_bytes(const struct osw_suite_list *list, size_t text)
{
    return sizeof(struct osw_suite_item) + SLOT_BYTES + text +
           list->memory.each;
}

static int too_many(const struct osw_suite_list *list, uint64_t n,
                    uint64_t bytes, struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY,
                    "%llu cases need more than %llu MiB of memory in rank 0, "
                    "%llu MiB are free: choose fewer ops or cases",
                    (unsigned long long)n, (unsigned long long)bytes / MIB,
                    (unsigned long long)list->memory.max_bytes / MIB);
}

int osw_suite_list_expect(const struct osw_suite_list *list, size_t n,
                          struct osw_error *err)
{
    uint64_t each = item_bytes(list, LEAST_TEXT);
    uint64_t more = n > UINT64_MAX / 2 / each ? UINT64_MAX / 2 : n * each;

    if (list->memory.max_bytes == 0 ||
        list->bytes + more <= list->memory.max_bytes)
        return 0;
    return too_many(list, list->n + n, list->bytes + more, err);
}

/* A text that other items have, too: one copy of those of late. */
static const char *share(struct osw_suite_list *list, const char *s)
{
    const char **kept =
        &list->shared[hash(0xcbf29ce484222325u, s) % OSW_SUITE_N_SHARED];

    if (!*s)
        return "";
    if (!*kept || strcmp(*kept, s) != 0)
        *kept = osw_arena_strdup(list->arena, s);
    return *kept;
}

/* Its texts become the list's own. */
static int copy_texts(struct osw_suite_list *list, struct osw_suite_item *item,
                      struct osw_error *err)
{
    item->case_text = osw_arena_strdup(list->arena, item->case_text);
    item->fill = share(list, item->fill);
    if (!item->op)
        item->op_name = share(list, item->op_name);
    if (item->why_not && !(item->why_not = share(list, item->why_not)))
        return no_memory(err);
    return item->case_text && item->fill && item->op_name ? 0 : no_memory(err);
}

int osw_suite_list_push(struct osw_suite_list *list,
                        const struct osw_suite_item *item,
                        struct osw_error *err)
{
    uint64_t bytes = item_bytes(list, strlen(item->case_text) + 1);
    struct osw_suite_item *old;
    uint32_t *slot;

    if (grow(list, err) < 0)
        return -1;
    slot = find_slot(list, item);
    if (*slot) {
        old = &list->items[*slot - 1];
        old->count += item->count;
        old->performance |= item->performance;
        return 0;
    }
    if (list->n == OSW_SUITE_MAX_ITEMS)
        return osw_fail(err, OSW_BAD_INPUT, "more than %d cases",
                        OSW_SUITE_MAX_ITEMS);
    if (list->memory.max_bytes && list->bytes + bytes > list->memory.max_bytes)
        return too_many(list, list->n + 1, list->bytes + bytes, err);
    list->items[list->n] = *item;
    if (copy_texts(list, &list->items[list->n], err) < 0)
        return -1;
    list->items[list->n].order = (uint32_t)list->n;
    list->bytes += bytes;
    *slot = (uint32_t)++list->n;
    return 0;
}

void osw_suite_list_cut(struct osw_suite_list *list, size_t n)
{
    if (n == list->n)
        return;
    while (list->n > n)
        list->bytes -=
            item_bytes(list, strlen(list->items[--list->n].case_text) + 1);
    memset(list->slots, 0, list->n_slots * sizeof(*list->slots));
    for (size_t i = 0; i < n; i++)
        *find_slot(list, &list->items[i]) = (uint32_t)i + 1;
}

void osw_suite_list_release(struct osw_suite_list *list, size_t n)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)list->items + page - 1) / page * page;
    uintptr_t to = (uintptr_t)(list->items + n) / page * page;

    if (to > from)
        (void)madvise((void *)from, to - from, MADV_DONTNEED);
}

/* --- arranging --- */

static double numel(const struct osw_value *v)
{
    double n = 0;

    if (v->kind == OSW_VALUE_TENSOR)
        return (double)osw_tensor_numel(v->u.tensor->ndim, v->u.tensor->shape);
    if (v->kind == OSW_VALUE_LIST || v->kind == OSW_VALUE_TUPLE ||
        v->kind == OSW_VALUE_DICT)
        for (uint32_t i = 0; i < v->n; i++)
            n += numel(&v->u.items[i]);
    return n;
}

/* Elements of each case, at its item's order; NULL without memory. */
static double *measure(const struct osw_suite_list *list)
{
    osw_arena_t *scratch = osw_arena_create();
    uint32_t last = 0;
    double *sizes;
    bool failed;

    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].order > last)
            last = list->items[i].order;
    sizes = calloc((size_t)last + 1, sizeof(*sizes));
    failed = !sizes || !scratch;
    for (size_t i = 0; !failed && i < list->n; i++) {
        const struct osw_suite_item *item = &list->items[i];
        struct osw_error why = OSW_ERROR_INIT;
        struct osw_case parsed;

        osw_arena_reset(scratch);
        if (osw_notation_parse_case(scratch, item->case_text,
                                    strlen(item->case_text), &parsed,
                                    &why) == 0)
            sizes[item->order] = numel(&parsed.args) + numel(&parsed.kwargs);
        failed = why.status == OSW_NO_MEMORY;
    }
    osw_arena_destroy(scratch);
    if (!failed)
        return sizes;
    free(sizes);
    return NULL;
}

static int by_order(const void *a, const void *b)
{
    const struct osw_suite_item *x = a, *y = b;
    int op = x->op_name == y->op_name ? 0 : strcmp(x->op_name, y->op_name);

    return op ? op : x->order < y->order ? -1 : x->order > y->order;
}

static int by_calls(const void *a, const void *b)
{
    const struct osw_suite_item *x = a, *y = b;
    int op = strcmp(x->op_name, y->op_name);

    if (op || x->count == y->count)
        return op ? op : by_order(a, b);
    return x->count > y->count ? -1 : 1;
}

static int by_size(const void *a, const void *b, void *arg)
{
    const struct osw_suite_item *x = a, *y = b;
    const double *sizes = arg;
    int op = strcmp(x->op_name, y->op_name);

    if (op || sizes[x->order] == sizes[y->order])
        return op ? op : by_order(a, b);
    return sizes[x->order] > sizes[y->order] ? -1 : 1;
}

static int keep_top(struct osw_suite_list *list, uint32_t top, bool size,
                    struct osw_error *err)
{
    double *sizes = size ? measure(list) : NULL;
    size_t kept = 0, of_op = 0;

    if (size && !sizes)
        return no_memory(err);
    if (size)
        qsort_r(list->items, list->n, sizeof(*list->items), by_size, sizes);
    else
        qsort(list->items, list->n, sizeof(*list->items), by_calls);
    free(sizes);
    for (size_t i = 0; i < list->n; i++) {
        bool same = kept > 0 && strcmp(list->items[i].op_name,
                                       list->items[kept - 1].op_name) == 0;

        of_op = same ? of_op + 1 : 1;
        if (of_op <= top)
            list->items[kept++] = list->items[i];
    }
    list->n = kept;
    return 0;
}

/* They mostly come in order; sorting would take as much memory again. */
static bool is_sorted(const struct osw_suite_list *list)
{
    for (size_t i = 1; i < list->n; i++)
        if (by_order(&list->items[i - 1], &list->items[i]) > 0)
            return false;
    return true;
}

int osw_suite_list_arrange(struct osw_suite_list *list, uint32_t top, bool size,
                           struct osw_error *err)
{
    free(list->slots); /* they index the old order */
    list->slots = NULL;
    list->n_slots = list->size = 0;
    if (list->n == 0)
        return 0;
    if (top > 0 && keep_top(list, top, size, err) < 0)
        return -1;
    if (!is_sorted(list))
        qsort(list->items, list->n, sizeof(*list->items), by_order);
    return 0;
}

void osw_suite_list_free(struct osw_suite_list *list)
{
    free(list->items);
    free(list->slots);
    *list = (struct osw_suite_list){.arena = NULL};
}
