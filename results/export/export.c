/* results/export/export.c - all cells with all columns: CSV and JSON */
#include "results/export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "common/decimal.h"
#include "common/formats/csv.h"
#include "common/json_out.h"
#include "common/text.h"
#include "common/utf8.h"
#include "results/report/report.h"

enum { FLUSH_BYTES = 1 << 16, JSON_VERSION = 1 };

static int flush(struct osw_text *t, size_t above, FILE *out,
                 struct osw_error *err)
{
    if (t->failed)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to export the cells");
    if (t->used > above) {
        fwrite(t->data, 1, t->used, out);
        osw_text_reset(t);
    }
    return 0;
}

/* --- CSV --- */

static void add(struct osw_text *out, const char *s, size_t n, bool terminal)
{
    if (terminal)
        osw_utf8_add_visible(out, s, n);
    else
        osw_text_add_n(out, s, n);
}

static void put_field(struct osw_text *out, const char *s, bool terminal)
{
    osw_text_add_n(out, ",", 1);
    if (s[strcspn(s, ",\"\r\n")] == '\0') {
        add(out, s, strlen(s), terminal);
        return;
    }
    osw_text_add_n(out, "\"", 1);
    while (*s) {
        size_t plain = strcspn(s, "\"");

        add(out, s, plain, terminal);
        s += plain;
        if (*s == '"')
            osw_text_add_n(out, "\"\"", 2);
        s += *s == '"';
    }
    osw_text_add_n(out, "\"", 1);
}

static void put_samples(struct osw_text *out, const float *samples, uint32_t n)
{
    char text[OSW_DECIMAL_MAX];

    osw_text_add_n(out, ",", 1);
    for (uint32_t i = 0; i < n; i++) {
        size_t used = osw_decimal_put(text, (double)samples[i], 9);

        if (i > 0)
            osw_text_add_n(out, " ", 1);
        osw_text_add_n(out, text, used);
    }
}

static int put_line(struct osw_export_cells *c, uint64_t row, bool terminal,
                    struct osw_text *out, struct osw_error *err)
{
    const struct osw_record *r;
    const float *samples;
    char value[64];

    if (osw_export_cells_at(c, row, &r, &samples, err))
        return -1;
    osw_text_printf(out, "%" PRIu64, row);
    for (size_t i = 0; i < c->n_columns; i++)
        put_field(out,
                  osw_report_value(c->e->file, r, &c->columns[i], value,
                                   sizeof(value)),
                  terminal);
    if (c->runs)
        osw_text_printf(out, ",%" PRIu32, c->runs[row]);
    if (c->e->samples)
        put_samples(out, samples, samples ? r->sample_n : 0);
    osw_text_add_n(out, "\r\n", 2);
    return 0;
}

static int write_csv(struct osw_export_cells *c, FILE *out,
                     struct osw_error *err)
{
    struct osw_text text = OSW_TEXT_INIT;
    bool terminal = osw_csv_is_terminal(out);
    int rc = 0;

    osw_text_add(&text, "row");
    for (size_t i = 0; i < c->n_columns; i++)
        put_field(&text, osw_export_cells_name(&c->columns[i]), false);
    osw_text_printf(&text, "%s%s\r\n", c->runs ? ",run" : "",
                    c->e->samples ? ",samples" : "");
    for (uint64_t row = 0; row < c->n && rc == 0; row++) {
        rc = put_line(c, row, terminal, &text, err);
        if (rc == 0)
            rc = flush(&text, FLUSH_BYTES, out, err);
    }
    if (rc == 0)
        rc = flush(&text, 0, out, err);
    osw_text_free(&text);
    return rc;
}

/* --- JSON --- */

static void put_column(struct osw_json_out *o, const char *name,
                       const char *units, const char *text)
{
    osw_json_out_object(o, NULL);
    osw_json_out_str(o, "name", name);
    osw_json_out_str(o, "units", units);
    osw_json_out_str(o, "text", text);
    osw_json_out_end(o);
}

static void put_columns(struct osw_json_out *o, struct osw_export_cells *c)
{
    osw_json_out_list(o, "columns");
    put_column(o, "row", "1", "row of the file");
    for (size_t i = 0; i < c->n_columns; i++)
        put_column(o, osw_export_cells_name(&c->columns[i]),
                   c->columns[i].units,
                   osw_export_cells_text(c, &c->columns[i]));
    if (c->runs)
        put_column(o, "run", "1", "row of /runs: the run it was recorded in");
    if (c->e->samples)
        put_column(o, "samples", "ns", "time of one call, each");
    osw_json_out_end(o);
}

static int put_cell(struct osw_json_out *o, struct osw_export_cells *c,
                    uint64_t row, struct osw_error *err)
{
    const struct osw_record *r;
    const float *samples;

    if (osw_export_cells_at(c, row, &r, &samples, err))
        return -1;
    osw_json_out_object(o, NULL);
    osw_json_out_u64(o, "row", row);
    for (size_t i = 0; i < c->n_columns; i++)
        osw_report_json_value(o, c->e->file, r, &c->columns[i]);
    if (c->runs)
        osw_json_out_u64(o, "run", c->runs[row]);
    if (c->e->samples) {
        osw_json_out_list(o, "samples");
        for (uint32_t i = 0; i < r->sample_n; i++)
            osw_json_out_f64(o, NULL, (double)samples[i]);
        osw_json_out_end(o);
    }
    osw_json_out_end(o);
    return 0;
}

static int write_json(struct osw_export_cells *c, FILE *out,
                      struct osw_error *err)
{
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&text);
    int rc = 0;

    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "format", "opsweep.cells");
    osw_json_out_i64(&o, "version", JSON_VERSION);
    put_columns(&o, c);
    osw_json_out_list(&o, "cells");
    for (uint64_t row = 0; row < c->n && rc == 0; row++) {
        rc = put_cell(&o, c, row, err);
        if (rc == 0)
            rc = flush(&text, FLUSH_BYTES, out, err);
    }
    if (rc == 0) {
        osw_json_out_end(&o);
        osw_json_out_end(&o);
        rc = flush(&text, 0, out, err);
    }
    osw_text_free(&text);
    return rc;
}

/* --- the two alike: in the C locale --- */

static int export_to(const struct osw_export *e, FILE *out,
                     int (*write)(struct osw_export_cells *, FILE *,
                                  struct osw_error *),
                     struct osw_error *err)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = c ? uselocale(c) : (locale_t)0;
    struct osw_export_cells cells;
    int rc = osw_export_cells_open(&cells, e, err);

    if (rc == 0)
        rc = write(&cells, out, err);
    osw_export_cells_close(&cells);
    if (c) {
        uselocale(old);
        freelocale(c);
    }
    if (rc == 0 && (fflush(out) || ferror(out)))
        rc = osw_fail_sys(err, errno, "cannot write the cells");
    return rc;
}

int osw_export_csv(const struct osw_export *e, FILE *out, struct osw_error *err)
{
    return export_to(e, out, write_csv, err);
}

int osw_export_json(const struct osw_export *e, FILE *out,
                    struct osw_error *err)
{
    return export_to(e, out, write_json, err);
}
