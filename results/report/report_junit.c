/* results/report/report_junit.c - JUnit XML, so that a CI shows what failed
 *
 * A testsuite per op, a testcase per cell: classname op.implementation, name
 * case and fill.  Groups fail and error are <failure> and <error>, not judged
 * is <skipped>, infra is <error>.  Cells without a record are one error of a
 * suite of their own, so that a run that was cut off is not green.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/utf8.h"
#include "results/report/report.h"
#include "results/report/report_rows.h"

struct counts {
    uint64_t tests, failures, errors, skipped;
};

/* Text of XML 1.0: no control character, no byte that is no UTF-8, no U+FFFE
 * and U+FFFF.
 */
static void put_text(FILE *out, const char *s)
{
    while (*s) {
        size_t n = osw_utf8_length(s, strlen(s));
        unsigned char c = (unsigned char)*s;

        if (n == 0 || (c < 0x20 && !strchr("\t\n\r", c)) ||
            strncmp(s, "\xef\xbf\xbe", 3) == 0 ||
            strncmp(s, "\xef\xbf\xbf", 3) == 0)
            fputs("\xef\xbf\xbd", out);
        else if (c < 0x20 || strchr("<>&\"'", c))
            fprintf(out, "&#%d;", c);
        else
            fwrite(s, 1, n, out);
        s += n ? n : 1;
    }
}

static void put_attr(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    put_text(out, value);
    putc('"', out);
}

static void put_u64(FILE *out, const char *name, uint64_t value)
{
    fprintf(out, " %s=\"%" PRIu64 "\"", name, value);
}

static void put_counts(FILE *out, const struct counts *c)
{
    put_u64(out, "tests", c->tests);
    put_u64(out, "failures", c->failures);
    put_u64(out, "errors", c->errors);
    put_u64(out, "skipped", c->skipped);
}

static void count(struct counts *c, const struct osw_report_row *r)
{
    c->tests += r->n_cells;
    c->failures += r->n_group[OSW_GROUP_FAIL];
    c->errors += r->n_group[OSW_GROUP_ERROR] + r->n_group[OSW_GROUP_INFRA];
    c->skipped += r->n_group[OSW_GROUP_NOT_JUDGED];
}

static void put_property(FILE *out, const char *name, const char *value)
{
    fputs("      <property", out);
    put_attr(out, "name", name);
    put_attr(out, "value", value);
    fputs("/>\n", out);
}

/* "value: element 5: found 1.25, expected 1", and beside it where to look. */
static void put_problem(FILE *out, const char *element, const char *path,
                        const struct osw_record *r)
{
    const char *state = osw_state_name((enum osw_state)r->status_id);
    const char *phase = osw_phase_name((enum osw_phase)r->phase_id);

    fprintf(out, "      <%s", element);
    put_attr(out, "type", state);
    fputs(" message=\"", out);
    put_text(out, state);
    if (*r->reason) {
        fputs(": ", out);
        put_text(out, r->reason);
    }
    fputs("\">phase ", out);
    put_text(out, phase);
    if (r->signal)
        fprintf(out, ", signal %" PRId32, r->signal);
    if (r->exit_code)
        fprintf(out, ", exit code %" PRId32, r->exit_code);
    fputs("&#10;opsweep show ", out);
    put_text(out, path);
    fprintf(out, " 0x%016" PRIx64 "</%s>\n", r->cell_key, element);
    if (*r->output) {
        fputs("      <system-out>", out);
        put_text(out, r->output);
        fputs("</system-out>\n", out);
    }
}

static void put_case(const osw_file_t *file, const struct osw_record *r,
                     FILE *out)
{
    static const char *const elements[OSW_GROUP_COUNT] = {
        [OSW_GROUP_FAIL] = "failure",
        [OSW_GROUP_ERROR] = "error",
        [OSW_GROUP_NOT_JUDGED] = "skipped",
        [OSW_GROUP_INFRA] = "error",
    };
    const char *impl = osw_file_text(file, OSW_DICT_IMPL, r->impl_id);
    const char *fill = osw_file_text(file, OSW_DICT_FILL, r->fill_id);
    const char *element =
        elements[osw_state_group((enum osw_state)r->status_id)];

    fputs("    <testcase classname=\"", out);
    put_text(out, osw_file_text(file, OSW_DICT_OP, r->op_id));
    fputs(*impl ? "." : "", out);
    put_text(out, impl);
    fputs("\" name=\"", out);
    put_text(out, osw_file_text(file, OSW_DICT_CASE, r->case_id));
    fputs(*fill ? " " : "", out);
    put_text(out, fill);
    fprintf(out, "\" time=\"%.6f\"", (double)r->wall_ns / 1e9);
    if (!element) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    put_problem(out, element, osw_file_info(file)->path, r);
    fputs("    </testcase>\n", out);
}

/* What was planned and has no record. */
static void put_missing(const osw_file_t *file, uint64_t n, FILE *out)
{
    static const struct counts one = {.tests = 1, .errors = 1};
    const struct osw_file_info *i = osw_file_info(file);

    fputs("  <testsuite name=\"opsweep\"", out);
    put_counts(out, &one);
    fputs(">\n    <testcase classname=\"opsweep\" name=\"complete\">\n"
          "      <error type=\"incomplete\" message=\"",
          out);
    fprintf(out, "%" PRIu64 " of %" PRIu64 " cell%s ha%s no record", n,
            i->n_planned, osw_plural(i->n_planned), n == 1 ? "s" : "ve");
    if (n == 0)
        fputs(", and the run did not end by itself", out);
    fputs("\"/>\n    </testcase>\n  </testsuite>\n", out);
}

/* The operators first .. end - 1 of the summary, all of one op. */
static int put_suite(const osw_file_t *file, const struct osw_report_summary *s,
                     size_t first, size_t end, const uint32_t *order,
                     struct osw_report_rows *rows, FILE *out,
                     struct osw_error *err)
{
    struct counts c = {0};

    for (size_t i = first; i < end; i++)
        count(&c, &s->rows[i]);
    fputs("  <testsuite", out);
    put_attr(out, "name",
             osw_file_text(file, OSW_DICT_OP, s->rows[first].op_id));
    put_counts(out, &c);
    put_attr(out, "timestamp", osw_file_info(file)->created_utc);
    fputs(">\n    <properties>\n", out);
    put_property(out, "file", osw_file_info(file)->path);
    put_property(out, "run_uuid", osw_file_info(file)->run_uuid);
    fputs("    </properties>\n", out);
    for (uint64_t k = 0; k < c.tests; k++) {
        const struct osw_record *r = osw_report_rows_at(rows, order[k], err);

        if (!r)
            return -1;
        put_case(file, r, out);
    }
    fputs("  </testsuite>\n", out);
    return 0;
}

static int put_suites(const osw_file_t *file,
                      const struct osw_report_summary *s, const uint32_t *order,
                      FILE *out, struct osw_error *err)
{
    bool missing = s->n_missing || !osw_file_info(file)->complete;
    struct counts c = {.tests = missing, .errors = missing};
    struct osw_report_rows rows;
    uint64_t at = 0;
    int rc = 0;

    count(&c, &s->total);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
    put_attr(out, "name", "opsweep");
    put_counts(out, &c);
    fputs(">\n", out);
    if (osw_report_rows_open(&rows, file, OSW_REPORT_BLOCK, err))
        return -1;
    for (size_t i = 0, end; i < s->n_rows && rc == 0; i = end) {
        uint64_t n = 0;

        for (end = i; end < s->n_rows && s->rows[end].op_id == s->rows[i].op_id;
             end++)
            n += s->rows[end].n_cells;
        rc = put_suite(file, s, i, end, order + at, &rows, out, err);
        at += n;
    }
    osw_report_rows_close(&rows);
    if (missing)
        put_missing(file, s->n_missing, out);
    fputs("</testsuites>\n", out);
    return rc;
}

static int write_junit(const osw_file_t *file,
                       const struct osw_report_options *options, FILE *out,
                       struct osw_error *err)
{
    struct osw_report_summary summary;
    uint32_t *order;
    int rc = -1;

    (void)options;
    if (osw_report_summarize(file, &summary, err))
        return -1;
    order = osw_report_rows_by_op(file, &summary, err);
    if (order)
        rc = put_suites(file, &summary, order, out, err);
    free(order);
    osw_report_summary_free(&summary);
    return rc;
}

const struct osw_report_format osw_report_junit = {
    .name = "junit",
    .summary = "JUnit XML, a testsuite per op, for a CI",
    .write = write_junit,
};
