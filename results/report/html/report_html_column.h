/* results/report/html/report_html_column.h - one column of the page's data,
 * packed
 *
 * A string of tokens, separated by commas: a value; nothing, a missing one;
 * "7*12", the same in 12 rows.  Floats and times have 5 digits, 4 where
 * the table of the page does not show them.  In a column
 * with a base a value is the difference to the one before that is not missing,
 * the first to the base.  Keys are 16 hexadecimal digits each, with nothing
 * between.
 *
 * Private to results/report_html*.c.
 */
#ifndef OSW_RESULTS_REPORT_HTML_COLUMN_H
#define OSW_RESULTS_REPORT_HTML_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/text.h"
#include "ops/record/record.h"
#include "results/journal/dict.h"

struct osw_report_html_column {
    const struct osw_column *column;
    enum osw_dict dict; /* OSW_DICT_COUNT: none */
    bool core;          /* it goes into the page, whatever it takes */
    bool empty;         /* nothing but missing values so far */
    bool has_base;
    int64_t base, before;
    struct osw_text values;
    char last[32]; /* a token that is not written yet, and its rows */
    uint64_t n_last;
    uint64_t bits; /* of its value: what is equal need not be printed */
};

void osw_report_html_column_init(struct osw_report_html_column *c,
                                 const struct osw_column *column, bool core);
void osw_report_html_column_free(struct osw_report_html_column *c);

/* The next row's value: of the record, or this number. */
void osw_report_html_column_add(struct osw_report_html_column *c,
                                const struct osw_record *record);
void osw_report_html_column_add_number(struct osw_report_html_column *c,
                                       int64_t number);

/* After the last row: values is complete. */
void osw_report_html_column_end(struct osw_report_html_column *c);

/* A float of 2 to 5 digits as short as can be: "1235e4", ".125", "inf", "" for
 * NaN.
 */
void osw_report_html_column_float(double v, int n_digits, char out[24]);

#endif /* OSW_RESULTS_REPORT_HTML_COLUMN_H */
