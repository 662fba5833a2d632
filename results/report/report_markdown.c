/* results/report/report_markdown.c - a comment for a pull request
 *
 * Hosts take 65,536 characters at most, so lists end, and say where.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "results/report/report.h"
#include "results/report/report_cut.h"
#include "results/report/report_devices.h"
#include "results/report/report_generation.h"
#include "results/report/report_md.h"
#include "results/report/report_number.h"
#include "results/report/report_rows.h"

enum { MAX_ROWS = 100, MAX_FAILURES = 50, MAX_NAME = 120, MAX_CASE = 160 };

static void put_devices(const osw_file_t *file, FILE *out)
{
    struct osw_text t = OSW_TEXT_INIT;
    char *save = NULL;

    osw_report_devices_lines(file, &t);
    for (char *line = t.data && !t.failed ? strtok_r(t.data, "\n", &save)
                                          : NULL;
         line; line = strtok_r(NULL, "\n", &save)) {
        fputs("- ", out);
        osw_report_md_text(out, line, 400);
        putc('\n', out);
    }
    osw_text_free(&t);
}

static void put_heading(const osw_file_t *file,
                        const struct osw_report_summary *s, FILE *out)
{
    const struct osw_file_info *i = osw_file_info(file);
    const struct osw_report_row *t = &s->total;

    fputs("## opsweep: ", out);
    osw_report_md_text(out, i->path, MAX_NAME);
    fprintf(out, "\n\n**%s**: %" PRIu64 " cell%s planned",
            i->complete ? "complete" : "INCOMPLETE", i->n_planned,
            osw_plural(i->n_planned));
    for (int g = 0; g < OSW_GROUP_COUNT; g++)
        if (t->n_group[g])
            fprintf(out, ", %" PRIu64 " %s", t->n_group[g],
                    osw_state_group_name((enum osw_state_group)g));
    if (s->n_missing)
        fprintf(out, ", %" PRIu64 " not recorded", s->n_missing);
    fputs("\n\n- ", out);
    osw_report_md_text(out, i->created_utc, 40);
    fprintf(out, ", %" PRIu64 " worker%s, on ", osw_report_workers(file),
            osw_plural(osw_report_workers(file)));
    osw_report_md_text(out, i->hostname, 60);
    fputs(", profile ", out);
    osw_report_md_text(out, i->profile, 40);
    fprintf(out, ", seed %" PRIu64 "\n", i->seed);
    put_devices(file, out);
    if (t->n_suspect)
        fprintf(out,
                "- **%" PRIu64
                " cell%s suspect**, counted here: the device failed "
                "afterwards\n",
                t->n_suspect, t->n_suspect == 1 ? " is" : "s are");
    putc('\n', out);
}

static bool is_bad(const struct osw_report_row *r)
{
    return r->n_group[OSW_GROUP_FAIL] + r->n_group[OSW_GROUP_ERROR] +
               r->n_group[OSW_GROUP_INFRA] >
           0;
}

static void put_row(const osw_file_t *file, const struct osw_report_summary *s,
                    size_t row, FILE *out)
{
    const struct osw_report_row *r = &s->rows[row];
    char text[32];

    fputs("| ", out);
    osw_report_md_code(out, osw_file_text(file, OSW_DICT_OP, r->op_id),
                       MAX_NAME);
    fputs(" | ", out);
    osw_report_md_code(out, osw_file_text(file, OSW_DICT_IMPL, r->impl_id),
                       MAX_NAME);
    fprintf(out, " | %" PRIu64, r->n_cells);
    for (int g = 0; g < OSW_GROUP_COUNT; g++)
        fprintf(out, " | %" PRIu64, r->n_group[g]);
    fputs(" | ", out);
    osw_report_md_speedups(out, file, s, row);
    fprintf(out, " | %" PRIu64 " | %s | ", r->n_timed,
            isnan(r->light_median)
                ? "-"
                : osw_report_percent(r->light_median, text, 32));
    fprintf(out, "%s |\n", osw_report_allowed(r->max_of_allowed, text, 32));
}

/* Those with failures first: what a reader came for is never cut. */
static void put_rows(const osw_file_t *file, const struct osw_report_summary *s,
                     FILE *out)
{
    size_t n = 0;

    if (s->n_rows == 0)
        return;
    fputs("\n| op | implementation | cells | pass | fail | error | not judged "
          "| infra | speedup, geomean | compared | of light | largest error |\n"
          "|---|---|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|\n",
          out);
    for (int bad = 1; bad >= 0; bad--)
        for (size_t i = 0; i < s->n_rows; i++)
            if (is_bad(&s->rows[i]) == (bad != 0) && n++ < MAX_ROWS)
                put_row(file, s, i, out);
    if (n > MAX_ROWS)
        fprintf(out, "\nand %zu row%s more: `--format csv` has all.\n",
                n - MAX_ROWS, osw_plural(n - MAX_ROWS));
}

static void put_failure(const osw_file_t *file, uint64_t row,
                        const struct osw_record *r, FILE *out)
{
    fprintf(out, "| %" PRIu64 " | %s | ", row,
            osw_state_name((enum osw_state)r->status_id));
    osw_report_md_code(out, osw_file_text(file, OSW_DICT_OP, r->op_id),
                       MAX_NAME);
    fputs(" | ", out);
    osw_report_md_code(out, osw_file_text(file, OSW_DICT_IMPL, r->impl_id),
                       MAX_NAME);
    fputs(" | ", out);
    osw_report_md_code(out, osw_file_text(file, OSW_DICT_CASE, r->case_id),
                       MAX_CASE);
    fputs(" | ", out);
    osw_report_md_code(
        out,
        osw_report_is_compilers((enum osw_state)r->status_id, r->reason)
            ? osw_report_first_error(r->reason)
            : r->reason,
        MAX_CASE);
    fputs(" |\n", out);
}

static int put_failures(const osw_file_t *file,
                        const struct osw_report_summary *s, FILE *out,
                        struct osw_error *err)
{
    const uint64_t *n = s->total.n_group;
    uint64_t all = n[OSW_GROUP_FAIL] + n[OSW_GROUP_ERROR] + n[OSW_GROUP_INFRA];
    struct osw_report_rows rows;
    uint64_t found = 0;
    int rc = 0;

    if (all == 0)
        return 0;
    if (osw_report_rows_open(&rows, file, OSW_REPORT_BLOCK, err))
        return -1;
    fprintf(out,
            "\n<details><summary>%" PRIu64
            " cells failed, or ended in error or infra</summary>\n\n"
            "| row | state | op | implementation | case | reason |\n"
            "|---:|---|---|---|---|---|\n",
            all);
    for (uint64_t row = 0; found < all && found < MAX_FAILURES; row++) {
        const struct osw_record *r = osw_report_rows_at(&rows, row, err);
        enum osw_state_group g;

        if (!r) {
            rc = -1;
            break;
        }
        g = osw_state_group((enum osw_state)r->status_id);
        if (g != OSW_GROUP_FAIL && g != OSW_GROUP_ERROR && g != OSW_GROUP_INFRA)
            continue;
        put_failure(file, row, r, out);
        found++;
    }
    if (all > found)
        fprintf(out, "\nand %" PRIu64 " more.\n", all - found);
    fputs("\nMore of one: `opsweep show FILE ROW`.\n\n</details>\n", out);
    osw_report_rows_close(&rows);
    return rc;
}

static int put_generation(const osw_file_t *file, FILE *out,
                          struct osw_error *err)
{
    struct osw_text t = OSW_TEXT_INIT;
    struct osw_generation g;
    char *save = NULL;

    if (osw_generation_read(file, &g, err) < 0)
        return -1;
    osw_report_generation_add(&g, &t);
    for (char *line = t.used && !t.failed ? strtok_r(t.data, "\n", &save)
                                          : NULL;
         line; line = strtok_r(NULL, "\n", &save)) {
        fputs(line == t.data ? "\n- " : "- ", out);
        osw_report_md_text(out, line, 400);
        putc('\n', out);
    }
    osw_text_free(&t);
    osw_generation_free(&g);
    return 0;
}

static int write_markdown(const osw_file_t *file,
                          const struct osw_report_options *options, FILE *out,
                          struct osw_error *err)
{
    struct osw_report_summary summary;
    int rc;

    (void)options;
    if (osw_report_summarize(file, &summary, err))
        return -1;
    put_heading(file, &summary, out);
    osw_report_md_scores(out, file, &summary);
    put_rows(file, &summary, out);
    rc = put_generation(file, out, err);
    if (rc == 0)
        rc = put_failures(file, &summary, out, err);
    osw_report_summary_free(&summary);
    return rc;
}

const struct osw_report_format osw_report_markdown = {
    .name = "markdown",
    .summary = "scores, operators and failures, for a pull request",
    .write = write_markdown,
};
