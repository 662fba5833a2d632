/* ops/cases/suite_list.c - cases being gathered: equal ones once */
#include "ops/cases/suite_list.h"

#include <stdlib.h>
#include <string.h>

#include "ops/cases/cell.h"
#include "ops/notation/tensor.h"

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

/* The slot of an equal item, or the free one where it belongs. */
static uint32_t *find_slot(const struct osw_suite_list *list,
                           const struct osw_suite_item *item)
{
    const struct osw_cell_parts parts = {item->op_name, "", item->case_text,
                                         item->fill, ""};
    size_t i = (size_t)osw_cell_key(&parts) & (list->n_slots - 1);

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

int osw_suite_list_push(struct osw_suite_list *list,
                        const struct osw_suite_item *item,
                        struct osw_error *err)
{
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
    list->items[list->n] = *item;
    list->items[list->n].order = (uint32_t)list->n;
    *slot = (uint32_t)++list->n;
    return 0;
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

static double size_of(const struct osw_suite_item *item)
{
    return numel(&item->parsed.args) + numel(&item->parsed.kwargs);
}

static int by_order(const void *a, const void *b)
{
    const struct osw_suite_item *x = a, *y = b;
    int op = strcmp(x->op_name, y->op_name);

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

static int by_size(const void *a, const void *b)
{
    double x = size_of(a), y = size_of(b);
    int op = strcmp(((const struct osw_suite_item *)a)->op_name,
                    ((const struct osw_suite_item *)b)->op_name);

    if (op || x == y)
        return op ? op : by_order(a, b);
    return x > y ? -1 : 1;
}

void osw_suite_list_arrange(struct osw_suite_list *list, uint32_t top,
                            bool size)
{
    size_t kept = 0, of_op = 0;

    if (list->n == 0)
        return;
    if (top > 0) {
        qsort(list->items, list->n, sizeof(*list->items),
              size ? by_size : by_calls);
        for (size_t i = 0; i < list->n; i++) {
            bool same = kept > 0 && strcmp(list->items[i].op_name,
                                           list->items[kept - 1].op_name) == 0;

            of_op = same ? of_op + 1 : 1;
            if (of_op <= top)
                list->items[kept++] = list->items[i];
        }
        list->n = kept;
    }
    qsort(list->items, list->n, sizeof(*list->items), by_order);
    free(list->slots); /* they index the old order */
    list->slots = NULL;
    list->n_slots = list->size = 0;
}

void osw_suite_list_free(struct osw_suite_list *list)
{
    free(list->items);
    free(list->slots);
    *list = (struct osw_suite_list){.arena = NULL};
}
