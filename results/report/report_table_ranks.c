/* results/report/report_table_ranks.c - bandwidths of collective ops, with the
 * figures that nccl-tests print
 *
 * What they are: ops/catalog/op_collective.h.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "common/text.h"
#include "results/report/report_cut.h"
#include "results/report/report_number.h"
#include "results/report/report_order.h"
#include "results/report/report_rows.h"
#include "results/report/report_table.h"

enum {
    MAX_LINES = 40,
    MAX_IMPL = 11,
    MAX_DTYPE = 12,
    MAX_MODEL = 40,
    MAX_OP = 40
};

typedef struct osw_report_page page_t;

static bool has_bandwidth(const struct osw_record *r)
{
    return r->status_id == OSW_STATE_PASS && r->world > 1 && r->busbw >= 0;
}

/* Sizes within an op, a world, a model of device and a way; implementations
 * within a size. */
static int in_order(const void *x, const void *y)
{
    const struct osw_record *a = x, *b = y;

    OSW_REPORT_BY(a->op_id, b->op_id);
    OSW_REPORT_BY(a->world, b->world);
    OSW_REPORT_BY(a->device_id, b->device_id);
    OSW_REPORT_BY(a->redop_id, b->redop_id);
    OSW_REPORT_BY(a->dtype_id, b->dtype_id);
    OSW_REPORT_BY(a->coll_bytes, b->coll_bytes);
    OSW_REPORT_BY(a->impl_id, b->impl_id);
    OSW_REPORT_BY(a->cell, b->cell);
    return 0;
}

/* Append to *all, the caller's to free. */
static int keep(struct osw_record **all, size_t *n, size_t *room,
                const struct osw_record *r, struct osw_error *err)
{
    if (*n == *room) {
        size_t more = *room ? 2 * *room : 64;
        struct osw_record *grown = realloc(*all, more * sizeof(**all));

        if (!grown)
            return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
        *all = grown;
        *room = more;
    }
    (*all)[(*n)++] = *r;
    return 0;
}

static int find(const page_t *p, struct osw_record **all, size_t *n,
                struct osw_error *err)
{
    uint64_t n_rows = osw_file_info(p->file)->n_results;
    struct osw_report_rows rows;
    size_t room = 0;
    int rc = 0;

    if (osw_report_rows_open(&rows, p->file, OSW_REPORT_BLOCK, err) < 0)
        return -1;
    for (uint64_t row = 0; row < n_rows && rc == 0; row++) {
        const struct osw_record *r = osw_report_rows_at(&rows, row, err);

        rc = !r ? -1 : has_bandwidth(r) ? keep(all, n, &room, r, err) : 0;
    }
    osw_report_rows_close(&rows);
    return rc;
}

static void put_line(const page_t *p, const struct osw_record *r)
{
    struct osw_text impl = OSW_TEXT_INIT, dtype = OSW_TEXT_INIT;
    char time[32], skew[32];

    osw_report_cut(&impl, osw_report_impl_name(p, r->impl_id), MAX_IMPL);
    osw_report_cut(&dtype, osw_file_text(p->file, OSW_DICT_DTYPE, r->dtype_id),
                   MAX_DTYPE);
    fprintf(p->out, "  %10.0f %10.0f %-4s %-4s %-*s %8s %7.2f %7.2f %8s\n",
            r->coll_bytes, r->coll_count,
            osw_text_str(&dtype) ? osw_text_str(&dtype) : "?",
            osw_redop_name((enum osw_redop)r->redop_id), MAX_IMPL,
            osw_text_str(&impl) ? osw_text_str(&impl) : "?",
            osw_report_duration(r->t_median_ns, time, sizeof(time)), r->algbw,
            r->busbw, osw_report_duration(r->skew_ns, skew, sizeof(skew)));
    osw_text_free(&impl);
    osw_text_free(&dtype);
}

static bool several_models(const struct osw_record *cells, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (cells[i].device_id != cells[0].device_id)
            return true;
    return false;
}

static void put_group(const page_t *p, const struct osw_record *r, bool several)
{
    osw_report_put_cut(p->out, osw_report_op_name(p, r->op_id), MAX_OP, 0);
    fprintf(p->out, ", %" PRIu32 " ranks", r->world);
    if (several) {
        fputs(" on ", p->out);
        osw_report_put_cut(
            p->out, osw_file_text(p->file, OSW_DICT_DEVICE, r->device_id),
            MAX_MODEL, 0);
    }
    putc('\n', p->out);
}

int osw_report_table_ranks(const page_t *p, bool all, struct osw_error *err)
{
    struct osw_record *cells = NULL;
    size_t n = 0, shown;
    int rc = find(p, &cells, &n, err);
    bool several = several_models(cells, n);

    if (rc == 0 && n > 0) {
        qsort(cells, n, sizeof(*cells), in_order);
        shown = all || n <= MAX_LINES ? n : MAX_LINES;
        fprintf(p->out,
                "between ranks, algbw and busbw in GB/s\n"
                "  %10s %10s %-4s %-4s %-*s %8s %7s %7s %8s\n",
                "size (B)", "count", "type", "by", MAX_IMPL, "", "time",
                "algbw", "busbw", "skew");
        for (size_t i = 0; i < shown; i++) {
            if (i == 0 || cells[i].op_id != cells[i - 1].op_id ||
                cells[i].world != cells[i - 1].world ||
                cells[i].device_id != cells[i - 1].device_id)
                put_group(p, &cells[i], several);
            put_line(p, &cells[i]);
        }
        if (shown < n)
            fprintf(p->out, "  and %zu more: --all\n", n - shown);
        putc('\n', p->out);
    }
    free(cells);
    return rc;
}
