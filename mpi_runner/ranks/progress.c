/* mpi_runner/ranks/progress.c - how far a campaign is, for people */
#include "mpi_runner/ranks/progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/text.h"

enum { BAR_MAX = 30, BAR_MIN = 8 };

static const int64_t terminal_period_ns = 200000000;
static const int64_t waiting_ns = (int64_t)10 * 1000000000;
static const int64_t plain_period_ns = (int64_t)10 * 1000000000;

/* --- the line --- */

struct line {
    char *buf;
    size_t size, used;
};

static void add(struct line *l, const char *fmt, ...) OSW_PRINTF(2, 3);

static void add(struct line *l, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(l->buf + l->used, l->size - l->used, fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    l->used += (size_t)n;
    if (l->used >= l->size)
        l->used = l->size - 1;
}

/* 7 s as "0:07", 3725 s as "1:02:05". */
static void add_duration(struct line *l, double seconds)
{
    uint64_t s = seconds < 0 ? 0 : (uint64_t)(seconds + 0.5);

    if (seconds > 360000000)
        add(l, "?");
    else if (s >= 3600)
        add(l, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60,
            s % 60);
    else
        add(l, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
}

static uint64_t sum_groups(const struct osw_progress_state *s)
{
    uint64_t n = 0;

    for (int g = 0; g < OSW_GROUP_COUNT; g++)
        n += s->n_group[g];
    return n;
}

/* The prediction says nothing about a case that runs for longer. */
static bool is_waiting(const struct osw_progress_state *s, double left_s)
{
    return s->n_running > 0 && s->longest_ns >= waiting_ns &&
           (double)s->longest_ns * 1e-9 > left_s;
}

static void add_waiting(struct line *l, const struct osw_progress_state *s)
{
    bool one = s->n_running == 1;

    add(l, "%" PRIu32 " case%s running, %s ", s->n_running,
        osw_plural(s->n_running), one ? "for" : "longest");
    add_duration(l, (double)s->longest_ns * 1e-9);
    if (s->n_open == 1)
        add(l, " (%.40s/%.20s)", s->op, s->impl);
    else
        add(l, " (%.40s, %" PRIu32 " cells)", s->op, s->n_open);
    add(l, ", time left unknown");
}

static void add_numbers(struct line *l, const struct osw_progress_state *s)
{
    uint64_t n_done = sum_groups(s);
    double seconds = (double)s->elapsed_ns * 1e-9;
    double left_s =
        osw_progress_left_s(seconds, s->fraction_before, s->fraction);
    bool known = seconds > 0 && !isnan(left_s) && n_done > s->n_before;
    int percent = (int)(s->fraction * 100);
    const char *sep = ": ";

    if (n_done < s->n_planned && percent > 99)
        percent = 99;
    add(l, "%3d %%  %" PRIu64 "/%" PRIu64 " cell%s", percent, n_done,
        s->n_planned, osw_plural(s->n_planned));
    for (int g = 0; g < OSW_GROUP_COUNT; g++) {
        if (!s->n_group[g])
            continue;
        add(l, "%s%" PRIu64 " %s", sep, s->n_group[g],
            osw_state_group_name((enum osw_state_group)g));
        sep = ", ";
    }
    add(l, "  ");
    if (n_done == s->n_planned) {
        add(l, "in ");
        add_duration(l, seconds);
    } else if (is_waiting(s, known ? left_s : 0)) {
        add_waiting(l, s);
    } else if (known) {
        add(l, "%.3g/s  ", (double)(n_done - s->n_before) / seconds);
        add_duration(l, left_s);
        add(l, " left");
    } else {
        add(l, "%" PRIu32 " worker%s", s->n_workers, osw_plural(s->n_workers));
    }
}

size_t osw_progress_line(char *buf, size_t size,
                         const struct osw_progress_state *s, unsigned width)
{
    struct line l = {buf, size, 0};
    char numbers[256];
    struct line n = {numbers, sizeof(numbers), 0};
    size_t bar, full;

    buf[0] = '\0';
    add_numbers(&n, s);
    bar = width > n.used + 4 ? width - n.used - 4 : 0;
    if (bar > BAR_MAX)
        bar = BAR_MAX;
    if (bar >= BAR_MIN) {
        full = (size_t)(s->fraction * (double)bar);
        add(&l, "[");
        for (size_t i = 0; i < bar; i++)
            add(&l, "%c", i < full ? '#' : '.');
        add(&l, "] ");
    }
    add(&l, "%s", numbers);
    if (width && l.used >= width) { /* never wrap: it is drawn over */
        l.used = width - 1;
        buf[l.used] = '\0';
    }
    return l.used;
}

/* --- showing it --- */

struct osw_progress {
    FILE *out;
    unsigned columns; /* 0: no terminal */
    int64_t shown_ns;
    const char *path; /* of a file for the last line; NULL: none */
};

unsigned osw_progress_columns(FILE *out)
{
    const char *told = getenv("OPSWEEP_COLUMNS");
    struct winsize w = {0};

    if (told && *told >= '0' && *told <= '9')
        return (unsigned)strtoul(told, NULL, 10) % 1000;
    if (!isatty(fileno(out)))
        return 0;
    if (ioctl(fileno(out), TIOCGWINSZ, &w) < 0 || w.ws_col < 20)
        return 80;
    return w.ws_col;
}

osw_progress_t *osw_progress_create(FILE *out, unsigned columns)
{
    osw_progress_t *p = calloc(1, sizeof(*p));

    if (!p)
        return NULL;
    p->out = out;
    p->columns = columns;
    p->path = getenv("OPSWEEP_PROGRESS");
    return p;
}

void osw_progress_destroy(osw_progress_t *progress)
{
    free(progress);
}

bool osw_progress_due(const osw_progress_t *progress, int64_t now_ns)
{
    int64_t period_ns =
        progress->columns ? terminal_period_ns : plain_period_ns;

    return now_ns - progress->shown_ns >= period_ns;
}

/* For the batch script, which looks at times: the line, and how many cells were
 * decided when the session began.  What it reads in between is cut.
 */
static void write_line(const char *path, const char *line, uint64_t n_before)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return;
    fprintf(f, "%s\n%" PRIu64 "\n", line, n_before);
    (void)fclose(f);
}

void osw_progress_show(osw_progress_t *progress,
                       const struct osw_progress_state *s, int64_t now_ns,
                       bool last)
{
    char line[512];

    osw_progress_line(line, sizeof(line), s, progress->columns);
    if (progress->columns)
        fprintf(progress->out, "\r%s\033[K%s", line, last ? "\n" : "");
    else
        fprintf(progress->out, "opsweep: %s\n", line);
    fflush(progress->out);
    if (progress->path && !progress->columns)
        write_line(progress->path, line, s->n_before);
    progress->shown_ns = now_ns;
}
