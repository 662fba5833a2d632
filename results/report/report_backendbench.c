/* results/report/report_backendbench.c - the four files that BackendBench
 * writes
 *
 * Names and fields are BackendBench's; fields of ours begin with "x_".  An
 * operator is an op with one implementation, "op__implementation", a test is a
 * judged cell; one that is a performance test too (results/report/scores.h) is
 * there twice.  What was not measured is null, or an empty field.  Everywhere a
 * failed performance test counts as a speedup of 1.0.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_out.h"
#include "common/text.h"
#include "common/utf8.h"
#include "results/report/report.h"
#include "results/report/report_md.h"
#include "results/report/report_rows.h"
#include "results/report/report_versus.h"
#include "results/report/scores.h"

enum { FLUSH_BYTES = 1 << 16 };

/* What each of the files is made of. */
struct page {
    const osw_file_t *file;
    FILE *out;
    struct osw_report_summary sum;
    bool any_timed;
};

static int open_page(struct page *p, const osw_file_t *file, FILE *out,
                     struct osw_error *err)
{
    *p = (struct page){.file = file, .out = out};
    if (osw_report_summarize(file, &p->sum, err))
        return -1;
    p->any_timed = p->sum.total.n_timed > 0;
    return 0;
}

/* --- OVERALL_SUMMARY.md --- */

struct by_speedup {
    const struct osw_report_row *row;
    double speedup;
};

/* Highest speedup first, operators without one last. */
static int compare_speedup(const void *x, const void *y)
{
    const struct by_speedup *a = x, *b = y;

    if (isnan(a->speedup) != isnan(b->speedup))
        return isnan(a->speedup) ? 1 : -1;
    if (!isnan(a->speedup) && a->speedup != b->speedup)
        return a->speedup > b->speedup ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static void put_name(FILE *out, const struct page *p,
                     const struct osw_report_row *r)
{
    const char *impl = osw_file_text(p->file, OSW_DICT_IMPL, r->impl_id);

    osw_report_md_text(out, osw_file_text(p->file, OSW_DICT_OP, r->op_id), 200);
    if (*impl) {
        osw_report_md_text(out, "__", 2);
        osw_report_md_text(out, impl, 200);
    }
}

/* With the baseline's name; of several baselines each has its own mean. */
static void put_speedup(const struct page *p, const struct osw_report_row *r,
                        double speedup)
{
    size_t row = (size_t)(r - p->sum.rows);
    const struct osw_report_versus *v =
        osw_report_versus_next(&p->sum, row, NULL);
    char name[128];

    if (r->n_baselines > 1) {
        osw_report_md_speedups(p->out, p->file, &p->sum, row);
        return;
    }
    osw_report_md_number(p->out, speedup, 4);
    if (isnan(speedup) || !v)
        return;
    fputs("x ", p->out);
    osw_report_md_text(p->out,
                       osw_report_versus_name(p->file, v->baseline_id,
                                              v->device_id, name, sizeof(name)),
                       sizeof(name));
}

static int put_operators(const struct page *p, struct osw_error *err)
{
    struct by_speedup *list = calloc(p->sum.n_rows + 1, sizeof(*list));
    size_t n = 0;

    if (!list)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    for (size_t i = 0; i < p->sum.n_rows; i++)
        if (osw_scores_tests(&p->sum.rows[i]))
            list[n++] = (struct by_speedup){
                &p->sum.rows[i],
                osw_scores_geomean(&p->sum.rows[i], p->any_timed)};
    qsort(list, n, sizeof(*list), compare_speedup);
    fputs("\n### Operator Speedups vs Baseline in Descending Order\n\n"
          "| Operator | Correctness Ratio | Speedup vs Baseline (geomean) | "
          "Performance Tests |\n|---|---:|---:|---:|\n",
          p->out);
    for (size_t i = 0; i < n; i++) {
        const struct osw_report_row *r = list[i].row;

        fputs("| ", p->out);
        put_name(p->out, p, r);
        fprintf(p->out, " | %" PRIu64 "/%" PRIu64 " | ",
                r->n_group[OSW_GROUP_PASS], osw_scores_tests(r));
        put_speedup(p, r, list[i].speedup);
        fprintf(p->out, " | %" PRIu64 " |\n",
                osw_scores_perf_tests(r, p->any_timed));
    }
    free(list);
    return 0;
}

static void put_overall(const struct page *p)
{
    const struct osw_file_info *info = osw_file_info(p->file);
    struct osw_scores s;

    osw_scores_add_up(&p->sum, info->n_planned, &s);
    fputs("# BackendBench Run Summary\n\n## Command\n\n    ", p->out);
    osw_utf8_put_visible(p->out, info->command_line,
                         strlen(info->command_line));
    fputs("\n\n## Results\n\n| Metric | Value |\n|--------|-------|\n"
          "| Correctness Score | ",
          p->out);
    osw_report_md_number(
        p->out, s.n_ops ? (double)s.n_ops_correct / (double)s.n_ops : NAN, 2);
    fputs(" |\n| Performance Score (geomean speedup) | ", p->out);
    osw_report_md_number(p->out, s.performance, 2);
    fputs(" |\n| Perf@1.0 Score | ", p->out);
    osw_report_md_number(p->out,
                         s.n_ops_perf && s.n_baselines <= 1
                             ? (double)s.n_ops_above[1] / (double)s.n_ops_perf
                             : NAN,
                         2);
    fputs(
        " |\n\n### Metric Descriptions\n\n"
        "- **Correctness Score**: share of operators all of whose tests "
        "pass\n"
        "- **Performance Score**: geometric mean over operators of the "
        "geometric mean of their speedups, a failed test counting 1.0\n"
        "- **Perf@1.0 Score**: share of operators with performance tests that "
        "are correct and whose geometric mean is greater than 1.0\n\n"
        "### Scores with their denominators\n\n",
        p->out);
    osw_report_md_scores(p->out, p->file, &p->sum);
    fprintf(p->out,
            "\nCells not judged: %" PRIu64
            "; lost to a node or device: %" PRIu64
            "; without a record: %" PRIu64 "; none of them is a test.\n\n",
            p->sum.total.n_group[OSW_GROUP_NOT_JUDGED],
            p->sum.total.n_group[OSW_GROUP_INFRA], p->sum.n_missing);
    fputs("## Output Files\n\n"
          "- `full_results.json`: results of all tests\n"
          "- `operator_summary.csv`: a line per operator\n"
          "- `failed_tests.json`: tests that failed\n"
          "- `OVERALL_SUMMARY.md`: this file\n",
          p->out);
}

static int write_overall(const osw_file_t *file,
                         const struct osw_report_options *options, FILE *out,
                         struct osw_error *err)
{
    struct page p;
    int rc;

    (void)options;
    if (open_page(&p, file, out, err))
        return -1;
    put_overall(&p);
    rc = put_operators(&p, err);
    osw_report_summary_free(&p.sum);
    return rc;
}

/* --- full_results.json, failed_tests.json --- */

static void put_names(struct osw_json_out *o, const struct page *p,
                      const struct osw_record *r, struct osw_text *name)
{
    const char *impl = osw_file_text(p->file, OSW_DICT_IMPL, r->impl_id);

    osw_text_reset(name);
    osw_text_printf(name, "%s%s%s",
                    osw_file_text(p->file, OSW_DICT_OP, r->op_id),
                    *impl ? "__" : "", impl);
    osw_json_out_str(o, "op_name", name->failed ? "" : osw_text_str(name));
    osw_json_out_str(o, "args",
                     osw_file_text(p->file, OSW_DICT_CASE, r->case_id));
}

static void put_ours(struct osw_json_out *o, const struct page *p,
                     const struct osw_record *r, struct osw_text *text)
{
    char key[32];

    snprintf(key, sizeof(key), "0x%016" PRIx64, r->cell_key);
    osw_json_out_str(o, "x_cell_key", key);
    osw_json_out_str(o, "x_status",
                     osw_state_name((enum osw_state)r->status_id));
    osw_json_out_str(o, "x_fill",
                     osw_file_text(p->file, OSW_DICT_FILL, r->fill_id));
    osw_text_reset(text);
    osw_text_add(text, "opsweep show ");
    osw_text_add_shell(text, osw_file_info(p->file)->path);
    osw_text_printf(text, " %s", key);
    osw_json_out_str(o, "x_show", text->failed ? "" : osw_text_str(text));
}

static void put_correctness(struct osw_json_out *o, const struct page *p,
                            const struct osw_record *r, struct osw_text *text)
{
    bool pass = r->status_id == OSW_STATE_PASS;
    const char *state = osw_state_name((enum osw_state)r->status_id);

    osw_json_out_object(o, NULL);
    put_names(o, p, r, text);
    osw_json_out_bool(o, "is_correct", pass);
    osw_json_out_str(o, "error_msg", pass ? "" : r->reason);
    osw_json_out_str(o, "error_type", pass ? "" : state);
    osw_json_out_str(o, "traceback", pass ? "" : r->output);
    osw_json_out_f64(o, "max_abs_error", r->max_abs_err);
    osw_json_out_f64(o, "max_rel_error", r->max_rel_err);
    osw_json_out_str(o, "test_type", "correctness");
    put_ours(o, p, r, text);
    osw_json_out_end(o);
}

static void put_performance(struct osw_json_out *o, const struct page *p,
                            const struct osw_record *r, struct osw_text *text)
{
    bool pass = r->status_id == OSW_STATE_PASS;

    osw_json_out_object(o, NULL);
    put_names(o, p, r, text);
    osw_json_out_f64(o, "speedup", pass ? r->speedup : NAN);
    osw_json_out_f64(o, "benchmark_time_ms", pass ? r->t_median_ns / 1e6 : NAN);
    osw_json_out_f64(o, "reference_time_ms",
                     pass ? r->baseline_median_ns / 1e6 : NAN);
    osw_json_out_str(o, "error_msg", pass ? "" : r->reason);
    osw_json_out_bool(o, "successfully_ran", pass);
    osw_json_out_str(o, "test_type", "performance");
    osw_json_out_str(o, "x_baseline", r->baseline);
    put_ours(o, p, r, text);
    osw_json_out_end(o);
}

static void put_tests(struct osw_json_out *o, const struct page *p,
                      const struct osw_record *r, bool failed_only,
                      struct osw_text *text)
{
    enum osw_state_group g = osw_state_group((enum osw_state)r->status_id);
    bool failed = g == OSW_GROUP_FAIL || g == OSW_GROUP_ERROR;

    if (!failed && (failed_only || g != OSW_GROUP_PASS))
        return;
    put_correctness(o, p, r, text);
    if (p->any_timed &&
        (failed || osw_report_speedup_of(p->file, r) == OSW_REPORT_COMPARED))
        put_performance(o, p, r, text);
}

static int put_list(const struct page *p, bool failed_only,
                    struct osw_error *err)
{
    uint64_t n = osw_file_info(p->file)->n_results;
    uint32_t *order = osw_report_rows_by_op(p->file, &p->sum, err);
    struct osw_text json = OSW_TEXT_INIT, scratch = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&json);
    struct osw_report_rows rows = {0};
    int rc = order ? osw_report_rows_open(&rows, p->file, OSW_REPORT_BLOCK, err)
                   : -1;

    osw_json_out_list(&o, NULL);
    for (uint64_t i = 0; i <= n && rc == 0; i++) {
        const struct osw_record *r = NULL;

        if (i < n && !(r = osw_report_rows_at(&rows, order[i], err)))
            rc = -1;
        if (r)
            put_tests(&o, p, r, failed_only, &scratch);
        if (i == n)
            osw_json_out_end(&o);
        if (json.failed || scratch.failed)
            rc = osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
        else if (rc == 0 && (i == n || json.used > FLUSH_BYTES)) {
            fwrite(json.data, 1, json.used, p->out);
            osw_text_reset(&json);
        }
    }
    osw_report_rows_close(&rows);
    osw_text_free(&json);
    osw_text_free(&scratch);
    free(order);
    return rc;
}

static int write_list(const osw_file_t *file, FILE *out, bool failed_only,
                      struct osw_error *err)
{
    struct page p;
    int rc;

    if (open_page(&p, file, out, err))
        return -1;
    rc = put_list(&p, failed_only, err);
    osw_report_summary_free(&p.sum);
    return rc;
}

static int write_full(const osw_file_t *file,
                      const struct osw_report_options *options, FILE *out,
                      struct osw_error *err)
{
    (void)options;
    return write_list(file, out, false, err);
}

static int write_failed(const osw_file_t *file,
                        const struct osw_report_options *options, FILE *out,
                        struct osw_error *err)
{
    (void)options;
    return write_list(file, out, true, err);
}

/* --- operator_summary.csv --- */

static void put_quoted(FILE *out, const char *a, const char *b, const char *c)
{
    const char *const parts[] = {a, b, c};

    putc('"', out);
    for (int i = 0; i < 3; i++)
        for (const char *s = parts[i]; *s; s++) {
            if (*s == '"')
                putc('"', out);
            putc(*s, out);
        }
    putc('"', out);
}

static void put_f64(FILE *out, double v)
{
    if (isnan(v))
        putc(',', out);
    else
        fprintf(out, ",%.9g", v);
}

/* "openblas;plain", "plain on H100;plain on H200" */
static void put_baselines(const struct page *p, size_t row)
{
    const struct osw_report_versus *v = NULL;
    struct osw_text t = OSW_TEXT_INIT;
    char name[160];

    while ((v = osw_report_versus_next(&p->sum, row, v)) != NULL)
        if (!v->oracle)
            osw_text_printf(&t, "%s%s", t.used ? ";" : "",
                            osw_report_versus_name(p->file, v->baseline_id,
                                                   v->device_id, name,
                                                   sizeof(name)) +
                                strlen("vs "));
    put_quoted(p->out, t.data && !t.failed ? t.data : "", "", "");
    osw_text_free(&t);
}

/* Means are empty where an operator has several baselines. */
static void put_operator(const struct page *p, size_t row)
{
    const struct osw_report_row *r = &p->sum.rows[row];
    const char *op = osw_file_text(p->file, OSW_DICT_OP, r->op_id);
    const char *impl = osw_file_text(p->file, OSW_DICT_IMPL, r->impl_id);
    uint64_t tests = osw_scores_tests(r);
    uint64_t perf = osw_scores_perf_tests(r, p->any_timed);
    uint64_t pass = r->n_group[OSW_GROUP_PASS];
    uint64_t timed = p->any_timed ? r->n_timed : 0;

    put_quoted(p->out, op, *impl ? "__" : "", impl);
    fprintf(p->out,
            ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ",%" PRIu64 ",%" PRIu64,
            tests + perf, tests, perf, pass, timed, tests - pass, perf - timed);
    put_f64(p->out, (double)pass / (double)tests);
    put_f64(p->out, osw_scores_mean(r, p->any_timed));
    put_f64(p->out, osw_scores_geomean(r, p->any_timed));
    put_f64(p->out, r->max_abs_err);
    put_f64(p->out, r->max_rel_err);
    fprintf(p->out, ",%" PRIu64 ",%" PRIu64 ",",
            r->n_group[OSW_GROUP_NOT_JUDGED], r->n_group[OSW_GROUP_INFRA]);
    put_baselines(p, row);
    fputs("\r\n", p->out);
}

static int write_operators(const osw_file_t *file,
                           const struct osw_report_options *options, FILE *out,
                           struct osw_error *err)
{
    struct page p;

    (void)options;
    if (open_page(&p, file, out, err))
        return -1;
    fputs("operator,total_tests,correctness_tests,performance_tests,"
          "passed_correctness_tests,passed_performance_tests,"
          "failed_correctness_tests,failed_performance_tests,correctness_rate,"
          "avg_speedup,geomean_speedup,max_absolute_error,max_relative_error,"
          "x_not_judged,x_infra,x_baselines\r\n",
          out);
    for (size_t i = 0; i < p.sum.n_rows; i++)
        if (osw_scores_tests(&p.sum.rows[i]))
            put_operator(&p, i);
    osw_report_summary_free(&p.sum);
    return 0;
}

static const struct osw_report_format overall = {
    .name = "OVERALL_SUMMARY.md",
    .summary = "scores and operators",
    .write = write_overall,
};
static const struct osw_report_format full = {
    .name = "full_results.json",
    .summary = "results of all tests",
    .write = write_full,
};
static const struct osw_report_format operators = {
    .name = "operator_summary.csv",
    .summary = "a line per operator",
    .write = write_operators,
};
static const struct osw_report_format failed_tests = {
    .name = "failed_tests.json",
    .summary = "tests that failed",
    .write = write_failed,
};

static const struct osw_report_format *const files[] = {
    &overall, &full, &operators, &failed_tests, NULL};

const struct osw_report_format osw_report_backendbench = {
    .name = "backendbench",
    .summary = "a folder with BackendBench's four files and scores",
    .files = files,
};
