/* results/journal/replay_rows.c - which results of a journal count */
#include "results/journal/replay_rows.h"

#include <stdlib.h>
#include <string.h>

#include "ops/record/state.h"

enum { SORT_WHOLE = 1024 };

static int by_cell(const void *a, const void *b)
{
    const struct osw_replay_row *x = a, *y = b;

    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    if (x->segment != y->segment)
        return x->segment < y->segment ? -1 : 1;
    return x->payload_at < y->payload_at ? -1 : x->payload_at > y->payload_at;
}

/* Put rows into the order of one byte of their cells, in place; ends[b] is
 * where those with byte b end.
 */
static void deal(struct osw_replay_row *rows, size_t n, int shift,
                 size_t ends[256])
{
    size_t next[256], at = 0;

    memset(ends, 0, 256 * sizeof(*ends));
    for (size_t i = 0; i < n; i++)
        ends[rows[i].cell >> shift & 255]++;
    for (int b = 0; b < 256; b++) {
        next[b] = at;
        ends[b] = at += ends[b];
    }
    for (int b = 0; b < 256; b++)
        while (next[b] < ends[b]) {
            struct osw_replay_row row = rows[next[b]];
            size_t to;

            while ((to = row.cell >> shift & 255) != (size_t)b) {
                struct osw_replay_row other = rows[next[to]];

                rows[next[to]++] = row;
                row = other;
            }
            rows[next[b]++] = row;
        }
}

/* qsort() of all rows would need as much memory again. */
static void sort_rows(struct osw_replay_row *rows, size_t n, int shift)
{
    size_t ends[256], from = 0;

    if (n < SORT_WHOLE || shift < 0) {
        qsort(rows, n, sizeof(*rows), by_cell);
        return;
    }
    deal(rows, n, shift, ends);
    for (int b = 0; b < 256; b++) {
        sort_rows(rows + from, ends[b] - from, shift - 8);
        from = ends[b];
    }
}

void osw_replay_settle_rows(struct osw_replay *r)
{
    size_t n = 0;

    for (size_t i = 1; i < r->n_rows; i++)
        if (r->rows[i - 1].cell >= r->rows[i].cell) {
            sort_rows(r->rows, r->n_rows, 56);
            break;
        }
    for (size_t i = 0; i < r->n_rows; i++) {
        struct osw_replay_row *last = n ? &r->rows[n - 1] : NULL;

        if (!last || last->cell != r->rows[i].cell)
            r->rows[n++] = r->rows[i];
        else if (osw_state_group((enum osw_state)last->status) ==
                 OSW_GROUP_INFRA)
            *last = r->rows[i];
    }
    r->n_superseded = r->n_rows - n;
    r->n_rows = n;
    for (size_t i = 0; i < n; i++)
        r->n_samples += r->rows[i].sample_n;
}
