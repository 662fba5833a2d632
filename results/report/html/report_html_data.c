/* results/report/html/report_html_data.c - the cells, packed for the page's
 * script
 *
 *     {"version": 1, "file", "rows": all, "shown": n,
 *      "groups": {"pass": 0, ...},
 *      "runs": [["opsweep run --suite ...", " --seed 1 ..."], ...],
 *      "dict": {"op": ["...", ...], ...},
 *      "columns": [{"name", "units", "text", "dict", "base", "values"}, ...],
 *      "left_out": ["...", ...]}
 *
 * Values are packed as results/report/html/report_html_column.h says.  Rows:
 * first those that failed, then the others, in the file's order.  A text that
 * was cut ends in U+2026.
 *
 * The page has a budget: rows stop where the columns of the table are
 * MAX_CORE_BYTES, and other columns are left out, the last of the list first,
 * where all are MAX_BYTES.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/utf8.h"
#include "ops/record/record.h"
#include "results/report/command.h"
#include "results/report/html/report_html.h"
#include "results/report/html/report_html_column.h"
#include "results/report/report_rows.h"

enum {
    MAX_CORE_BYTES = 9 << 20,
    MAX_BYTES = 12 << 20,
    MAX_DICT_BYTES = 3 << 20, /* of one; its longest texts are cut */
    MAX_COLUMNS = 128,
};

typedef struct osw_report_html_column column_t;

/* What the table shows, searches and sorts. */
static const char *const core[] = {
    "cell_key",       "op_id",       "impl_id", "case_id",    "dtype_id",
    "host_id",        "device_id",   "rank",    "status_id",  "reason_id",
    "fill_id",        "t_median_ns", "speedup", "speedup_lo", "speedup_hi",
    "err_of_allowed", "baseline_id",
};

/* Left out first, the last one before the others, where not all columns fit. */
static const char *const late[] = {
    "build_ns",      "fill_ns",    "reference_ns", "run_ns",   "verify_ns",
    "time_ns",       "wait_ns",    "t_min_ns",     "t_q1_ns",  "t_q3_ns",
    "t_p95_ns",      "t_max_ns",   "t_mean_ns",    "t_mad_ns", "clock_mhz",
    "temperature_c", "power_w",    "energy_j",     "t_hot_ns", "t_wall_ns",
    "t_floor_ns",    "t_light_ns",
};

/* Means nothing outside the file. */
static const char *const never[] = {"sample_off"};

/* Entries of a dictionary that rows use, in the order of first use. */
struct used {
    uint32_t *number; /* [count] by id, plus 1 */
    uint32_t n;
    size_t max;            /* bytes of an entry */
    struct osw_text texts; /* JSON strings */
};

struct packing {
    const struct osw_report_html *h;
    column_t columns[MAX_COLUMNS]; /* row, run, then those of records */
    size_t n_columns;
    struct used used[OSW_DICT_COUNT];
    struct osw_file_run *runs; /* [n_runs] */
    size_t n_runs;
    uint32_t *run_of; /* [h->n] */
    uint64_t n_rows;
    size_t core_bytes; /* of columns and of dictionaries */
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
}

static bool is_listed(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

#define LISTED(name, list)                                                     \
    is_listed(name, list, sizeof(list) / sizeof((list)[0]))

/* Columns of the page that no record has. */
static const struct osw_column own[] = {
    {"row", "1", "row in the file", OSW_COLUMN_u64, 0},
    {"run", "1", "number of its run", OSW_COLUMN_u32, 0},
};
enum { OWN_ROW, OWN_RUN, N_OWN };

enum turn { CORE, OTHER, LATE, N_TURNS };

static enum turn turn_of(const char *name)
{
    return LISTED(name, core) ? CORE : LISTED(name, late) ? LATE : OTHER;
}

static void add_column(struct packing *p, const struct osw_column *column,
                       bool is_core)
{
    if (p->n_columns < MAX_COLUMNS)
        osw_report_html_column_init(&p->columns[p->n_columns++], column,
                                    is_core);
}

static void choose_columns(struct packing *p)
{
    size_t n;
    const struct osw_column *all = osw_record_columns(&n);

    for (int i = 0; i < N_OWN; i++)
        add_column(p, &own[i], true);
    for (int turn = CORE; turn < N_TURNS; turn++)
        for (size_t i = 0; i < n; i++)
            if ((int)turn_of(all[i].name) == turn &&
                !LISTED(all[i].name, never))
                add_column(p, &all[i], turn == CORE);
}

/* --- texts: neither "</script" nor "<!--" can stand in them --- */

static void add_json(struct osw_text *t, const char *s, size_t max)
{
    size_t left = strlen(s), n_done = 0;

    osw_text_add(t, "\"");
    while (left) {
        size_t n = osw_utf8_length(s, left);
        unsigned char c = (unsigned char)*s;

        if (n_done + n > max) {
            osw_text_add(t, "\\u2026");
            break;
        }
        if (n == 0 || (n > 1 && osw_utf8_is_control(osw_utf8_point(s, n))))
            osw_text_add(t, "\\ufffd");
        else if (c < 0x20 || c == 0x7f || strchr("<>&\"\\'", c))
            osw_text_printf(t, "\\u%04x", c);
        else
            osw_text_add_n(t, s, n);
        n += n == 0;
        n_done += n;
        s += n;
        left -= n;
    }
    osw_text_add(t, "\"");
}

/* Where to cut entries, so that all of a dictionary are no more than
 * MAX_DICT_BYTES; the last resort may be more.
 */
static size_t longest_text(const osw_file_t *file, enum osw_dict dict)
{
    static const size_t longest[] = {16384, 4096, 1024, 512, 256};
    uint32_t n = osw_file_dict_count(file, dict);
    size_t i = 0, last = sizeof(longest) / sizeof(*longest) - 1;

    for (; i < last; i++) {
        size_t sum = 0;

        for (uint32_t id = 0; id < n; id++) {
            size_t length = strlen(osw_file_text(file, dict, id));

            sum += length < longest[i] ? length : longest[i];
        }
        if (sum <= MAX_DICT_BYTES)
            break;
    }
    return longest[i];
}

/* Number of an entry within the page; it is taken in on first use. */
static int number_of(struct packing *p, enum osw_dict dict, uint32_t id,
                     uint32_t *out)
{
    struct used *u = &p->used[dict];
    uint32_t count = osw_file_dict_count(p->h->file, dict);

    if (!u->number) {
        u->number = calloc((size_t)count + 1, sizeof(*u->number));
        if (!u->number)
            return -1;
        u->max = longest_text(p->h->file, dict);
    }
    if (id > count)
        id = count; /* one that is not there: "?" */
    if (u->number[id] == 0) {
        size_t before = u->texts.used;

        if (u->n)
            osw_text_add(&u->texts, ",");
        add_json(&u->texts, osw_file_text(p->h->file, dict, id), u->max);
        u->number[id] = ++u->n;
        if (dict != OSW_DICT_OUTPUT)
            p->core_bytes += u->texts.used - before;
    }
    *out = u->number[id] - 1;
    return 0;
}

/* --- rows --- */

static int add_value(struct packing *p, column_t *c, uint64_t row,
                     const struct osw_record *r)
{
    uint32_t id = 0, number;

    if (c->column == &own[OWN_ROW])
        osw_report_html_column_add_number(c, (int64_t)row);
    else if (c->column == &own[OWN_RUN])
        osw_report_html_column_add_number(c, p->run_of[row]);
    else if (c->dict != OSW_DICT_COUNT) {
        memcpy(&id, (const char *)r + c->column->offset,
               c->column->type == OSW_COLUMN_u8 ? 1 : 4);
        if (number_of(p, c->dict, id, &number))
            return -1;
        osw_report_html_column_add_number(c, number);
    } else {
        osw_report_html_column_add(c, r);
    }
    return c->values.failed ? -1 : 0;
}

static int add_row(struct packing *p, uint64_t row, const struct osw_record *r)
{
    for (size_t i = 0; i < p->n_columns; i++) {
        column_t *c = &p->columns[i];
        size_t before = c->values.used;

        if (add_value(p, c, row, r))
            return -1;
        if (c->core)
            p->core_bytes += c->values.used - before;
    }
    p->n_rows++;
    return 0;
}

static bool failed(const struct osw_report_html_cell *c)
{
    return c->group == OSW_GROUP_FAIL || c->group == OSW_GROUP_ERROR ||
           c->group == OSW_GROUP_INFRA;
}

static int pack(struct packing *p, struct osw_error *err)
{
    const struct osw_report_html *h = p->h;
    struct osw_report_rows reader;
    int rc = 0;

    if (osw_report_rows_open(&reader, h->file, OSW_REPORT_BLOCK, err))
        return -1;
    for (int want = 1; want >= 0 && rc == 0; want--)
        for (size_t i = 0; i < h->n && rc == 0; i++) {
            const struct osw_record *r;

            if (failed(&h->cells[i]) != (want != 0))
                continue;
            if (p->core_bytes > MAX_CORE_BYTES)
                break;
            r = osw_report_rows_at(&reader, i, err);
            if (!r)
                rc = -1;
            else if (add_row(p, i, r))
                rc = no_memory(err);
        }
    osw_report_rows_close(&reader);
    for (size_t i = 0; i < p->n_columns; i++) {
        osw_report_html_column_end(&p->columns[i]);
        if (p->columns[i].values.failed && rc == 0)
            rc = no_memory(err);
    }
    return rc;
}

/* --- writing --- */

static void put_string(FILE *out, const char *s, size_t max)
{
    struct osw_text t = OSW_TEXT_INIT;

    add_json(&t, s, max);
    fputs(t.data && !t.failed ? t.data : "\"\"", out);
    osw_text_free(&t);
}

static void put_column(FILE *out, const column_t *c)
{
    const char *units = c->column->units;

    fprintf(out, "{\"name\":\"%s\",\"units\":\"%s\",\"text\":", c->column->name,
            strcmp(units, "1") ? units : "");
    put_string(out, c->column->text, SIZE_MAX);
    if (c->dict != OSW_DICT_COUNT)
        fprintf(out, ",\"dict\":\"%s\"", osw_dict_name(c->dict));
    if (c->has_base)
        fprintf(out, ",\"base\":%" PRId64, c->base);
    fputs(",\"values\":\"", out);
    fwrite(c->values.data ? c->values.data : "", 1, c->values.used, out);
    fputs("\"}", out);
}

/* Columns without a value are left out and not listed as left out. */
static void put_columns(struct packing *p, FILE *out)
{
    size_t bytes = p->core_bytes;
    struct osw_text left_out = OSW_TEXT_INIT;
    const char *comma = "";

    fputs("\"columns\":[", out);
    for (size_t i = 0; i < p->n_columns; i++) {
        const column_t *c = &p->columns[i];
        size_t size = c->values.used;

        if (c->dict == OSW_DICT_OUTPUT)
            size += p->used[OSW_DICT_OUTPUT].texts.used;
        if (c->core || (!c->empty && bytes + size <= MAX_BYTES)) {
            fprintf(out, "%s\n", comma);
            put_column(out, c);
            comma = ",";
            bytes += c->core ? 0 : size;
        } else if (!c->empty) {
            osw_text_printf(&left_out, "%s\"%s\"", left_out.used ? "," : "",
                            c->column->name);
            if (c->dict == OSW_DICT_OUTPUT)
                p->used[OSW_DICT_OUTPUT].n = 0;
        }
    }
    fprintf(out, "],\n\"left_out\":[%s],\n",
            left_out.data ? left_out.data : "");
    osw_text_free(&left_out);
}

/* Of each run the ends of the command that runs one of its cells; none where
 * its campaign cannot be read.
 */
static void put_runs(const struct packing *p, FILE *out)
{
    fputs("\"runs\":[", out);
    for (size_t i = 0; i < p->n_runs; i++) {
        struct osw_text begin = OSW_TEXT_INIT, end = OSW_TEXT_INIT;

        if (i)
            fputs(",", out);
        if (osw_command_begin(&p->runs[i], &begin, NULL) == 0) {
            osw_command_end(&p->runs[i], &end);
            fputs("[", out);
            put_string(out, begin.data ? begin.data : "", SIZE_MAX);
            fputs(",", out);
            put_string(out, end.data ? end.data : "", SIZE_MAX);
            fputs("]", out);
        } else {
            fputs("null", out);
        }
        osw_text_free(&begin);
        osw_text_free(&end);
    }
    fputs("],\n", out);
}

static void put_dictionaries(const struct packing *p, FILE *out)
{
    bool first = true;

    fputs("\"dict\":{", out);
    for (int d = 0; d < OSW_DICT_COUNT; d++) {
        if (p->used[d].n == 0)
            continue;
        fprintf(out, "%s\n\"%s\":[", first ? "" : ",",
                osw_dict_name((enum osw_dict)d));
        fwrite(p->used[d].texts.data, 1, p->used[d].texts.used, out);
        fputs("]", out);
        first = false;
    }
    fputs("}", out);
}

static void put_data(struct packing *p)
{
    const struct osw_report_html *h = p->h;
    FILE *out = h->out;

    fprintf(out,
            "<script type=\"application/json\" id=\"data\">{\"version\":1,"
            "\"rows\":%zu,\"shown\":%" PRIu64 ",\n\"file\":",
            h->n, p->n_rows);
    put_string(out, osw_file_info(h->file)->path, SIZE_MAX);
    fputs(",\n\"groups\":{", out);
    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++)
        fprintf(out, "%s\"%s\":%d", i ? "," : "",
                osw_state_name(osw_state_at(i)),
                (int)osw_state_group(osw_state_at(i)));
    fputs("},\n", out);
    put_runs(p, out);
    put_columns(p, out);
    put_dictionaries(p, out);
    fputs("}</script>\n", out);
}

static void put_frame(const struct osw_report_html *h, uint64_t n_shown)
{
    FILE *out = h->out;

    osw_report_html_section(out, "cells", "Cells");
    if (n_shown < h->n)
        fprintf(out,
                "<p class=\"note\">%" PRIu64 " of %zu cell%s, failed ones "
                "first; the file has all.</p>\n",
                n_shown, h->n, osw_plural(h->n));
    fputs("<noscript><p class=\"note\">This table needs the page's own script; "
          "everything above does not.</p></noscript>\n"
          "<div id=\"record\" hidden tabindex=\"-1\"></div>\n"
          "<form id=\"controls\" role=\"search\" aria-label=\"filter cells\">\n"
          "<label>search <input id=\"q\" type=\"search\" autocomplete=\"off\" "
          "spellcheck=\"false\" placeholder=\"words of op, case, reason, "
          "...\"></label>\n"
          "<label>state <select id=\"f-state\"></select></label>\n"
          "<label>op <select id=\"f-op\"></select></label>\n"
          "<label>implementation <select id=\"f-impl\"></select></label>\n"
          "<label>type <select id=\"f-dtype\"></select></label>\n"
          "<label>device <select id=\"f-device\"></select></label>\n"
          "<label>node <select id=\"f-host\"></select></label>\n"
          "<button type=\"reset\">clear</button>\n</form>\n"
          "<p class=\"pager\"><output id=\"count\" aria-live=\"polite\">"
          "</output> <button type=\"button\" id=\"prev\">previous</button> "
          "<button type=\"button\" id=\"next\">next</button></p>\n"
          "<div class=\"scroll\"><table id=\"table\" class=\"plain wide\">"
          "<thead><tr></tr></thead><tbody></tbody></table></div>\n",
          out);
    osw_report_html_section_end(out);
    fputs("</main>\n<footer>keys: <kbd>/</kbd> search, <kbd>n</kbd> "
          "<kbd>p</kbd> pages, <kbd>Esc</kbd> closes a record</footer>\n",
          out);
}

/* What is looked up while rows are packed. */
static int prepare(struct packing *p, struct osw_error *err)
{
    p->runs = osw_file_runs(p->h->file, &p->n_runs, err);
    if (!p->runs)
        return -1;
    p->run_of = calloc(p->h->n + 1, sizeof(*p->run_of));
    if (!p->run_of)
        return no_memory(err);
    choose_columns(p);
    return osw_file_runs_of(p->h->file, p->n_runs, p->run_of, err);
}

int osw_report_html_data(const struct osw_report_html *h, struct osw_error *err)
{
    struct packing *p = calloc(1, sizeof(*p));
    int rc;

    if (!p)
        return no_memory(err);
    p->h = h;
    rc = prepare(p, err);
    if (rc == 0)
        rc = pack(p, err);
    for (int d = 0; d < OSW_DICT_COUNT && rc == 0; d++)
        if (p->used[d].texts.failed)
            rc = no_memory(err);
    if (rc == 0) {
        put_frame(h, p->n_rows);
        put_data(p);
    }
    for (size_t i = 0; i < p->n_columns; i++)
        osw_report_html_column_free(&p->columns[i]);
    for (int d = 0; d < OSW_DICT_COUNT; d++) {
        free(p->used[d].number);
        osw_text_free(&p->used[d].texts);
    }
    free(p->run_of);
    free(p->runs);
    free(p);
    return rc;
}
