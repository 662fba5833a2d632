/* mpi_runner/generate/profiled.c - what ncu measured of a kernel, in a few
 * numbers */
#include "mpi_runner/generate/profiled.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ops/catalog/op.h"

enum { MAX_LINE = 1024, MAX_NAME = 128 };

static const char launch_mark[] = ", Context ";

static const char *const metrics[] = {
    "Duration",
    "Memory Throughput",
    "DRAM Throughput",
    "L2 Cache Throughput",
    "Compute (SM) Throughput",
    "Registers Per Thread",
    "Static Shared Memory Per Block",
    "Dynamic Shared Memory Per Block",
    "Waves Per SM",
    "Theoretical Occupancy",
    "Achieved Occupancy",
};

/* A launch in the report. */
struct launch {
    char name[MAX_NAME];
    const char *at; /* its line */
};

/* The line at `at`, without its indent; returns where the next one begins. */
static const char *take_line(const char *at, char line[MAX_LINE])
{
    size_t n = strcspn(at, "\n"), indent = strspn(at, " ");

    if (indent > n)
        indent = n;
    snprintf(line, MAX_LINE, "%.*s",
             (int)(n - indent < MAX_LINE ? n - indent : MAX_LINE - 1),
             at + indent);
    return at + n + (at[n] == '\n');
}

/* "scale" of "void scale<float>(const float *) (1, 1, 1)x(256, 1, 1), ...". */
static bool take_name(const char *line, char name[MAX_NAME])
{
    size_t end = strcspn(line, "<("), begin = end;

    while (begin > 0 && osw_op_is_word(line[begin - 1]))
        begin--;
    snprintf(name, MAX_NAME, "%.*s", (int)(end - begin), line + begin);
    return end > begin && end - begin < MAX_NAME;
}

static bool names(const char *code, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = code; (at = strstr(at, name)); at += n)
        if ((at == code || !osw_op_is_word(at[-1])) && !osw_op_is_word(at[n]))
            return true;
    return false;
}

static size_t find_launches(const char *report, const char *code,
                            struct launch out[OSW_PROFILED_MAX])
{
    char line[MAX_LINE], name[MAX_NAME];
    const char *next;
    size_t n = 0;

    for (const char *at = report; *at; at = next) {
        size_t k = 0;

        next = take_line(at, line);
        if (!strstr(line, launch_mark) || !take_name(line, name) ||
            !names(code, name))
            continue;
        while (k < n && strcmp(out[k].name, name) != 0)
            k++;
        if (k == OSW_PROFILED_MAX)
            continue;
        memcpy(out[k].name, name, sizeof(name));
        out[k].at = at;
        n += k == n;
    }
    return n;
}

/* "Duration     us     3.10": a metric's name ends in two blanks. */
static bool is_metric(const char *line)
{
    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
        size_t n = strlen(metrics[i]);

        if (strncmp(line, metrics[i], n) == 0 &&
            strncmp(line + n, "  ", 2) == 0)
            return true;
    }
    return false;
}

/* A row with its columns one blank apart. */
static void add_row(const char *line, struct osw_text *out)
{
    osw_text_add(out, "  ");
    while (*line) {
        size_t n = strcspn(line, " "), blanks = strspn(line + n, " ");

        osw_text_add_n(out, line, n);
        osw_text_add(out, line[n + blanks] ? " " : "");
        line += n + blanks;
    }
    osw_text_add(out, "\n");
}

/* "(64, 1, 1)x(256, 1, 1)" of its line. */
static void add_shape(const char *line, struct osw_text *out)
{
    const char *end = strstr(line, launch_mark), *at = end;

    for (int n = 0; n < 2 && at > line;)
        n += *--at == '(';
    osw_text_add_n(out, at, (size_t)(end - at));
}

static void add_launch(const struct launch *l, struct osw_text *out)
{
    char line[MAX_LINE];
    const char *at = take_line(l->at, line);

    osw_text_printf(out, "kernel %s ", l->name);
    add_shape(line, out);
    osw_text_add(out, "\n");
    while (*at) {
        at = take_line(at, line);
        if (strstr(line, launch_mark))
            return;
        if (is_metric(line))
            add_row(line, out);
    }
}

void osw_profiled_add(const char *report, const char *code,
                      struct osw_text *out)
{
    struct launch launches[OSW_PROFILED_MAX];
    size_t n = find_launches(report, code, launches);

    for (size_t i = 0; i < n; i++)
        add_launch(&launches[i], out);
}
