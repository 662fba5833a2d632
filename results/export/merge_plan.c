/* results/export/merge_plan.c - which result of which file stands for a cell */
#include "results/export/merge_plan.h"

#include <stdlib.h>
#include <string.h>

#include "ops/record/state.h"

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int by_key_and_place(const void *x, const void *y)
{
    const struct osw_merge_row *a = x, *b = y;

    if (a->key != b->key)
        return COMPARE(a->key, b->key);
    return a->file != b->file ? COMPARE(a->file, b->file)
                              : COMPARE(a->row, b->row);
}

/* Within rows of one key: those that stand for the same cell together. */
static int by_nth(const void *x, const void *y)
{
    const struct osw_merge_row *a = x, *b = y;

    return a->nth != b->nth ? COMPARE(a->nth, b->nth)
                            : COMPARE(a->file, b->file);
}

static int by_place(const void *x, const void *y)
{
    const struct osw_merge_row *a = x, *b = y;

    return a->file != b->file ? COMPARE(a->file, b->file)
                              : COMPARE(a->row, b->row);
}

static int by_cell(const void *x, const void *y)
{
    const struct osw_merge_row *a = x, *b = y;

    return a->cell != b->cell ? COMPARE(a->cell, b->cell) : by_place(x, y);
}

static bool is_infra(const struct osw_merge_row *r)
{
    return osw_state_group((enum osw_state)r->status) == OSW_GROUP_INFRA;
}

static bool agree(const struct osw_merge_row *a, const struct osw_merge_row *b)
{
    return a->status == b->status &&
           (a->device == b->device || !a->device || !b->device);
}

/* The n results of one cell, by file: mark the one that stands for it. */
static void choose(struct osw_merge_row *rows, size_t n,
                   enum osw_merge_keep keep, struct osw_merge_plan *out)
{
    struct osw_merge_row *best = NULL;
    bool differ = false;

    for (size_t i = 0; i < n; i++) {
        struct osw_merge_row *r = &rows[i];

        r->kept = false;
        if (best && is_infra(r) && !is_infra(best))
            continue;
        if (best && is_infra(best) && !is_infra(r))
            best = NULL;
        if (best && !is_infra(r) && !agree(best, r) && !differ) {
            differ = true;
            if (out->n_conflicts++ == 0) {
                out->conflict[0] = *best;
                out->conflict[1] = *r;
            }
        }
        if (!best || keep != OSW_MERGE_FIRST)
            best = r;
    }
    best->kept = true;
    out->n_kept++;
}

/* Count the cell once for each plan that has it. */
static void count(const struct osw_merge_row *rows, size_t n,
                  const size_t *plans, uint64_t *n_recorded)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < i && plans[rows[k].file] != plans[rows[i].file])
            k++;
        n_recorded[plans[rows[i].file]] += k == i;
    }
}

/* Number equal keys of one file, and bring the same numbers together. */
static void number(struct osw_merge_row *rows, size_t n)
{
    bool twice = false;

    for (size_t i = 0; i < n; i++) {
        bool again = i && rows[i].file == rows[i - 1].file;

        rows[i].nth = again ? rows[i - 1].nth + 1 : 0;
        twice |= again;
    }
    if (twice)
        qsort(rows, n, sizeof(*rows), by_nth);
}

void osw_merge_decide(struct osw_merge_row *rows, size_t n,
                      enum osw_merge_keep keep, bool one_plan,
                      const size_t *plans, uint64_t *n_recorded,
                      struct osw_merge_plan *out)
{
    size_t kept = 0;

    memset(out, 0, sizeof(*out));
    if (n == 0)
        return;
    qsort(rows, n, sizeof(*rows), by_key_and_place);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && rows[end].key == rows[i].key;)
            end++;
        number(rows + i, end - i);
        for (size_t k = i, next; k < end; k = next) {
            for (next = k; next < end && rows[next].nth == rows[k].nth;)
                next++;
            choose(rows + k, next - k, keep, out);
            count(rows + k, next - k, plans, n_recorded);
        }
    }
    for (size_t i = 0; i < n; i++)
        if (rows[i].kept)
            rows[kept++] = rows[i];
    qsort(rows, kept, sizeof(*rows), one_plan ? by_cell : by_place);
}
