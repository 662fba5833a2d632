/* results/report_html_data.c - the cells, packed for the page's script
 *
 *     {"version": 1, "file", "rows": all, "shown": n,
 *      "dict": {"op": ["...", ...], ...},
 *      "columns": [{"name", "units", "text", "dict", "values"}, ...],
 *      "left_out": ["...", ...]}
 *
 * A column is one string: values of rows, separated by commas; nothing is
 * missing, "=" the same as in the row before.  That is small, and a reader
 * splits a column when it is looked at.  Floats have 5 digits.  Rows: first
 * those that failed, then the others, in the file's order.
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
#include "ops/record.h"
#include "results/report_html.h"
#include "results/report_rows.h"

enum {
    MAX_CORE_BYTES = 15 << 20,
    MAX_BYTES = 18 << 20,
    MAX_COLUMNS = 128,
    MAX_TEXT = 600, /* bytes of one reason, output, case */
};

/* What the table shows, searches and sorts. */
static const char *const core[] = {
    "cell_key",    "op_id",     "impl_id",    "case_id",    "dtype_id",
    "host_id",     "device_id", "rank",       "status_id",  "reason_id",
    "t_median_ns", "speedup",   "speedup_lo", "speedup_hi", "max_rel_err",
};

/* Means nothing outside the file. */
static const char *const never[] = {"sample_off"};

/* One column while it grows. */
struct packed {
    const struct osw_column *column;
    enum osw_dict dict; /* OSW_DICT_COUNT: none */
    bool core, empty;   /* empty: nothing but missing values so far */
    bool kept;          /* it goes into the page */
    struct osw_text values;
    char last[40];
};

/* Entries of a dictionary that rows use, in the order of first use. */
struct used {
    uint32_t *number; /* [count] by id, plus 1 */
    uint32_t n;
    struct osw_text texts; /* JSON strings */
};

struct packing {
    const struct osw_report_html *h;
    struct packed columns[MAX_COLUMNS];
    size_t n_columns;
    struct used used[OSW_DICT_COUNT];
    uint64_t n_rows;
    size_t core_bytes; /* of columns and of dictionaries */
};

static bool is_listed(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

#define LISTED(name, list)                                                     \
    is_listed(name, list, sizeof(list) / sizeof((list)[0]))

static void choose_columns(struct packing *p)
{
    size_t n;
    const struct osw_column *all = osw_record_columns(&n);

    for (int want_core = 1; want_core >= 0; want_core--)
        for (size_t i = 0; i < n && p->n_columns < MAX_COLUMNS; i++)
            if (LISTED(all[i].name, core) == (want_core != 0) &&
                !LISTED(all[i].name, never))
                p->columns[p->n_columns++] = (struct packed){
                    .column = &all[i],
                    .dict = osw_report_dict(&all[i]),
                    .core = want_core != 0,
                    .empty = true,
                };
}

/* --- strings of JSON inside HTML: neither "</script" nor "<!--" can stand ---
 */

static void add_json(struct osw_text *t, const char *s, size_t max)
{
    size_t left = strlen(s), n_done = 0;

    osw_text_add(t, "\"");
    while (left) {
        size_t n = osw_dict_utf8_length(s, left);
        unsigned char c = (unsigned char)*s;

        if (n_done + n > max) {
            osw_text_add(t, "...");
            break;
        }
        if (n == 0)
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
    }
    if (id > count)
        id = count; /* one that is not there: "?" */
    if (u->number[id] == 0) {
        size_t before = u->texts.used;

        if (u->n)
            osw_text_add(&u->texts, ",");
        add_json(&u->texts, osw_file_text(p->h->file, dict, id), MAX_TEXT);
        u->number[id] = ++u->n;
        if (dict != OSW_DICT_OUTPUT)
            p->core_bytes += u->texts.used - before;
    }
    *out = u->number[id] - 1;
    return 0;
}

/* "1.2345e+06" is "1.2345e6". */
static void print_float(char *out, size_t size, double v)
{
    char *e, *from;

    snprintf(out, size, "%.5g", v);
    e = strchr(out, 'e');
    if (!e)
        return;
    e++;
    from = e;
    if (*from == '+')
        from++;
    else if (*from == '-')
        from++, e++;
    while (*from == '0')
        from++;
    memmove(e, from, strlen(from) + 1);
}

static int print_value(struct packing *p, const struct packed *k,
                       const struct osw_record *r, char *out, size_t size)
{
    const void *at = (const char *)r + k->column->offset;
    uint32_t id = 0, number;
    double v;

    *out = '\0';
    if (k->dict != OSW_DICT_COUNT) {
        memcpy(&id, at, k->column->type == OSW_COLUMN_u8 ? 1 : 4);
        if (number_of(p, k->dict, id, &number))
            return -1;
        snprintf(out, size, "%" PRIu32, number);
    } else if (k->column->type == OSW_COLUMN_f64) {
        memcpy(&v, at, sizeof(v));
        if (!isnan(v))
            print_float(out, size, v);
    } else if (strcmp(k->column->name, "cell_key") == 0)
        snprintf(out, size, "%016" PRIx64, r->cell_key);
    else
        (void)osw_report_value(p->h->file, r, k->column, out, size);
    return 0;
}

static int add_row(struct packing *p, const struct osw_record *r)
{
    for (size_t i = 0; i < p->n_columns; i++) {
        struct packed *k = &p->columns[i];
        size_t before = k->values.used;
        char value[40];

        if (print_value(p, k, r, value, sizeof(value)))
            return -1;
        if (p->n_rows)
            osw_text_add(&k->values, ",");
        if (p->n_rows && *value && strcmp(value, k->last) == 0)
            osw_text_add(&k->values, "=");
        else
            osw_text_add(&k->values, value);
        snprintf(k->last, sizeof(k->last), "%s", value);
        k->empty = k->empty && !*value;
        if (k->values.failed)
            return -1;
        if (k->core)
            p->core_bytes += k->values.used - before;
    }
    p->n_rows++;
    return 0;
}

static bool failed(const struct osw_report_html_cell *c)
{
    return c->group == OSW_GROUP_FAIL || c->group == OSW_GROUP_ERROR ||
           c->group == OSW_GROUP_INFRA;
}

/* Row numbers are a column of the page alone. */
static int pack(struct packing *p, struct osw_text *rows, struct osw_error *err)
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
            if (p->core_bytes + rows->used > MAX_CORE_BYTES)
                break;
            osw_text_printf(rows, "%s%zu", p->n_rows ? "," : "", i);
            r = osw_report_rows_at(&reader, i, err);
            if (!r)
                rc = -1;
            else if (add_row(p, r))
                rc = osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
        }
    osw_report_rows_close(&reader);
    return rc;
}

/* --- writing --- */

static void put_string(FILE *out, const char *s)
{
    struct osw_text t = OSW_TEXT_INIT;

    add_json(&t, s, 4096);
    fputs(t.data && !t.failed ? t.data : "\"\"", out);
    osw_text_free(&t);
}

static void put_column(FILE *out, const struct packed *k)
{
    const char *units = k->column->units;

    fprintf(out,
            ",\n{\"name\":\"%s\",\"units\":\"%s\",\"text\":", k->column->name,
            strcmp(units, "1") ? units : "");
    put_string(out, k->column->text);
    if (k->dict != OSW_DICT_COUNT)
        fprintf(out, ",\"dict\":\"%s\"", osw_dict_name(k->dict));
    fputs(",\"values\":\"", out);
    fwrite(k->values.data ? k->values.data : "", 1, k->values.used, out);
    fputs("\"}", out);
}

/* Which columns fit; those that hold nothing are no loss. */
static void keep_what_fits(struct packing *p, size_t bytes)
{
    for (size_t i = 0; i < p->n_columns; i++) {
        struct packed *k = &p->columns[i];
        size_t size = k->values.used;

        if (k->dict == OSW_DICT_OUTPUT)
            size += p->used[OSW_DICT_OUTPUT].texts.used;
        k->kept = k->core || (!k->empty && bytes + size <= MAX_BYTES);
        if (k->kept && !k->core)
            bytes += size;
        if (!k->kept && k->dict == OSW_DICT_OUTPUT)
            p->used[OSW_DICT_OUTPUT].n = 0;
    }
}

static void put_columns(const struct packing *p, const struct osw_text *rows,
                        FILE *out)
{
    const char *comma = "";

    fputs("\"columns\":[{\"name\":\"row\",\"units\":\"\",\"text\":"
          "\"row in the file\",\"values\":\"",
          out);
    fwrite(rows->data ? rows->data : "", 1, rows->used, out);
    fputs("\"}", out);
    for (size_t i = 0; i < p->n_columns; i++)
        if (p->columns[i].kept)
            put_column(out, &p->columns[i]);
    fputs("],\n\"left_out\":[", out);
    for (size_t i = 0; i < p->n_columns; i++)
        if (!p->columns[i].kept && !p->columns[i].empty) {
            fprintf(out, "%s\"%s\"", comma, p->columns[i].column->name);
            comma = ",";
        }
    fputs("]", out);
}

static void put_data(const struct packing *p, const struct osw_text *rows)
{
    const struct osw_report_html *h = p->h;
    FILE *out = h->out;
    bool first = true;

    fprintf(out,
            "<script type=\"application/json\" id=\"data\">{\"version\":1,"
            "\"rows\":%zu,\"shown\":%" PRIu64 ",\n\"file\":",
            h->n, p->n_rows);
    put_string(out, osw_file_info(h->file)->path);
    fputs(",\n\"groups\":{", out);
    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++)
        fprintf(out, "%s\"%s\":%d", i ? "," : "",
                osw_state_name(osw_state_at(i)),
                (int)osw_state_group(osw_state_at(i)));
    fputs("},\n\"dict\":{", out);
    for (int d = 0; d < OSW_DICT_COUNT; d++) {
        if (p->used[d].n == 0)
            continue;
        fprintf(out, "%s\n\"%s\":[", first ? "" : ",",
                osw_dict_name((enum osw_dict)d));
        fwrite(p->used[d].texts.data, 1, p->used[d].texts.used, out);
        fputs("]", out);
        first = false;
    }
    fputs("},\n", out);
    put_columns(p, rows, out);
    fputs("}</script>\n", out);
}

static void put_frame(const struct osw_report_html *h, uint64_t n_shown)
{
    FILE *out = h->out;

    osw_report_html_section(out, "cells", "Cells");
    if (n_shown < h->n)
        fprintf(out,
                "<p class=\"note\">%" PRIu64 " of %zu cells, failed ones "
                "first; the file has all.</p>\n",
                n_shown, h->n);
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

int osw_report_html_data(const struct osw_report_html *h, struct osw_error *err)
{
    struct packing *p = calloc(1, sizeof(*p));
    struct osw_text rows = OSW_TEXT_INIT;
    int rc;

    if (!p)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    p->h = h;
    choose_columns(p);
    rc = pack(p, &rows, err);
    if (rc == 0 && rows.failed)
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    for (int d = 0; d < OSW_DICT_COUNT && rc == 0; d++)
        if (p->used[d].texts.failed)
            rc = osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    if (rc == 0) {
        keep_what_fits(p, p->core_bytes + rows.used);
        put_frame(h, p->n_rows);
        put_data(p, &rows);
    }
    for (size_t i = 0; i < p->n_columns; i++)
        osw_text_free(&p->columns[i].values);
    for (int d = 0; d < OSW_DICT_COUNT; d++) {
        free(p->used[d].number);
        osw_text_free(&p->used[d].texts);
    }
    osw_text_free(&rows);
    free(p);
    return rc;
}
