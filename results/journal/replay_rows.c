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

size_t osw_replay_rows_settle(struct osw_replay_row *rows, size_t n)
{
    size_t n_left = 0;

    for (size_t i = 1; i < n; i++)
        if (rows[i - 1].cell >= rows[i].cell) {
            sort_rows(rows, n, 24);
            break;
        }
    for (size_t i = 0; i < n; i++) {
        struct osw_replay_row *last = n_left ? &rows[n_left - 1] : NULL;

        if (!last || last->cell != rows[i].cell)
            rows[n_left++] = rows[i];
        else if (osw_state_group((enum osw_state)last->status) ==
                 OSW_GROUP_INFRA)
            *last = rows[i];
    }
    return n_left;
}
