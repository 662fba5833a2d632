/* results/report/report_csv.c - one line per cell, RFC 4180 */
#include <stdlib.h>
#include <string.h>

#include "common/formats/csv.h"

#include "results/report/report.h"

/* Columns *_id hold the text, and are named without "_id". */
static void put_header(FILE *out)
{
    size_t n;
    const struct osw_column *columns = osw_record_columns(&n);

    fputs("row", out);
    for (size_t c = 0; c < n; c++) {
        enum osw_dict dict = osw_report_dict(&columns[c]);

        putc(',', out);
        fputs(dict == OSW_DICT_COUNT ? columns[c].name : osw_dict_name(dict),
              out);
    }
    fputs("\r\n", out);
}

static void put_record(const osw_file_t *file, uint64_t row,
                       const struct osw_record *r, bool terminal, FILE *out)
{
    size_t n;
    const struct osw_column *columns = osw_record_columns(&n);
    char value[64];

    fprintf(out, "%llu", (unsigned long long)row);
    for (size_t c = 0; c < n; c++) {
        putc(',', out);
        osw_csv_put(
            out, osw_report_value(file, r, &columns[c], value, sizeof(value)),
            terminal);
    }
    fputs("\r\n", out);
}

static int write_csv(const osw_file_t *file,
                     const struct osw_report_options *options, FILE *out,
                     struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results;
    struct osw_record *records = malloc(OSW_REPORT_BLOCK * sizeof(*records));
    bool terminal = osw_csv_is_terminal(out);
    int rc = 0;

    (void)options;
    if (!records)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    put_header(out);
    for (uint64_t at = 0; at < n && rc == 0; at += OSW_REPORT_BLOCK) {
        size_t k =
            n - at < OSW_REPORT_BLOCK ? (size_t)(n - at) : OSW_REPORT_BLOCK;

        rc = osw_file_records(file, at, k, records, err);
        for (size_t i = 0; i < k && rc == 0; i++)
            put_record(file, at + i, &records[i], terminal, out);
    }
    free(records);
    return rc;
}

const struct osw_report_format osw_report_csv = {
    .name = "csv",
    .summary = "one line per cell with all columns, RFC 4180",
    .write = write_csv,
};
