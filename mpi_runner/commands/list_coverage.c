/* mpi_runner/commands/list_coverage.c - opsweep list --coverage: the operators
 * of traces by what is there to run them */
#include "mpi_runner/commands/list_coverage.h"

#include <inttypes.h>
#include <string.h>

#include "common/json_out.h"
#include "mpi_runner/commands/coverage.h"

static const struct {
    const char *key, *column, *words;
} kinds[] = {
#define X(NAME, key, column, words) {key, column, words},
    OSW_COVERAGE_MAP(X)
#undef X
};

/* --- as text --- */

static void print_share(FILE *out, uint64_t part, uint64_t whole)
{
    fprintf(out, "  %7" PRIu64 " of %-7" PRIu64 " %5.1f %%", part, whole,
            whole ? 100.0 * (double)part / (double)whole : 0.0);
}

static void print_total(FILE *out, const struct osw_coverage_row *total)
{
    fprintf(out, "\n%-22s  %-26s  %-26s  %s\n", "", "operators (any case)",
            "cases", "calls");
    for (int k = 0; k < OSW_N_COVERAGE; k++) {
        fprintf(out, "%-22s", kinds[k].words);
        print_share(out, total->of[k].operators, total->all.operators);
        print_share(out, total->of[k].cases, total->all.cases);
        print_share(out, total->of[k].calls, total->all.calls);
        fprintf(out, "\n");
    }
}

static void print_coverage(FILE *out, const struct osw_coverage *c)
{
    fprintf(out, "%-44s %8s %10s   cases:", "operator", "cases", "calls");
    for (int k = 0; k < OSW_N_COVERAGE; k++)
        fprintf(out, " %6s", kinds[k].column);
    fprintf(out, "\n");
    for (size_t i = 0; i < c->n; i++) {
        const struct osw_coverage_row *row = &c->rows[i];

        fprintf(out, "%-44s %8" PRIu64 " %10" PRIu64 "         ", row->op,
                row->all.cases, row->all.calls);
        for (int k = 0; k < OSW_N_COVERAGE; k++)
            fprintf(out, " %6" PRIu64, row->of[k].cases);
        fprintf(out, "\n");
    }
    print_total(out, &c->total);
    if (*c->torch)
        fprintf(out, "\naten: the operators of %s\n", c->torch);
    else
        fprintf(out, "\naten: all names of aten, as the interpreter has no "
                     "torch (--python)\n");
}

/* --- as JSON --- */

static void add_count(struct osw_json_out *o, const char *key,
                      const struct osw_coverage_count *n)
{
    osw_json_out_object(o, key);
    osw_json_out_u64(o, "operators", n->operators);
    osw_json_out_u64(o, "cases", n->cases);
    osw_json_out_u64(o, "calls", n->calls);
    osw_json_out_end(o);
}

static void add_row(struct osw_json_out *o, const char *key,
                    const struct osw_coverage_row *row)
{
    osw_json_out_object(o, key);
    osw_json_out_str(o, "name", row->op);
    add_count(o, "all", &row->all);
    for (int k = 0; k < OSW_N_COVERAGE; k++)
        add_count(o, kinds[k].key, &row->of[k]);
    osw_json_out_end(o);
}

static int print_json(FILE *out, const struct osw_coverage *c,
                      struct osw_error *err)
{
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&text);
    int rc = 0;

    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "format", "opsweep coverage 1");
    osw_json_out_str(&o, "torch", c->torch);
    osw_json_out_list(&o, "operators");
    for (size_t i = 0; i < c->n; i++)
        add_row(&o, NULL, &c->rows[i]);
    osw_json_out_end(&o);
    add_row(&o, "total", &c->total);
    osw_json_out_end(&o);
    if (osw_text_str(&text))
        fprintf(out, "%s\n", osw_text_str(&text));
    else
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory to print the coverage");
    osw_text_free(&text);
    return rc;
}

int osw_list_coverage(FILE *out, osw_arena_t *arena,
                      const struct osw_campaign *campaign, bool json,
                      struct osw_error *err)
{
    struct osw_coverage coverage;

    if (strcmp(campaign->suite, "traces") != 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--coverage': expected suite 'traces' "
                        "(--traces PATH), found suite '%s'",
                        campaign->suite);
    if (osw_coverage_load(arena, campaign, &coverage, err) < 0)
        return -1;
    if (json)
        return print_json(out, &coverage, err);
    print_coverage(out, &coverage);
    return 0;
}
