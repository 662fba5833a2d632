/* mpi_runner/commands/cmd_journal.c - opsweep journal: look into a run's
 * journal */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli.h"
#include "common/clock.h"
#include "common/text.h"
#include "results/export/entry_json.h"
#include "results/journal/journal.h"
#include "results/journal/journal_verify.h"
#include "results/journal/lock.h"

struct journal_opts {
    uint64_t lines;
    bool follow;
};

static const struct journal_opts journal_defaults = {.lines = 10};

#define AT(field) offsetof(struct journal_opts, field)
/* clang-format off */
static const struct osw_opt journal_optv[] = {
    { "lines", OSW_OPT_U64, AT(lines),
      "of tail: so many of the last records", .letter = 'n', .value = "N" },
    { "follow", OSW_OPT_FLAG, AT(follow),
      "of tail: wait for more, until the journal is gone", .letter = 'f' },
    { 0 },
};
/* clang-format on */
#undef AT

enum { FLUSH_BYTES = 1 << 16, LOOK_NS = 200000000 };

/* The journal's folder: FILE itself, or the one beside the result file. */
static int find_dir(const char *file, struct osw_text *dir,
                    struct osw_error *err)
{
    char segment[4096];

    osw_journal_segment_path(file, 0, segment, sizeof(segment));
    osw_text_printf(dir, "%s%s", file,
                    access(segment, F_OK) == 0 ? "" : ".journal");
    if (dir->failed)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a path");
    osw_journal_segment_path(osw_text_str(dir), 0, segment, sizeof(segment));
    if (access(segment, F_OK) == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "no journal: neither '%s' nor '%s' holds 000000.jnl; a "
                    "complete run leaves none",
                    file, osw_text_str(dir));
}

/* --- dump, tail --- */

struct printer {
    uint64_t from; /* records before it are not printed */
    uint64_t last; /* the last one seen */
    osw_dicts_t *dicts;
    float *samples; /* [OSW_RECORD_MAX_SAMPLES] */
    struct osw_text out;
};

static int write_out(struct osw_text *t, struct osw_error *err)
{
    if (t->used && fwrite(t->data, 1, t->used, stdout) != t->used)
        return osw_fail(err, OSW_SYSTEM, "cannot write to standard output");
    osw_text_reset(t);
    return 0;
}

static int print_record(void *arg, const struct osw_frame *frame,
                        const struct osw_journal_place *place,
                        struct osw_error *err)
{
    struct printer *p = arg;
    struct osw_entry entry;
    int rc = osw_entry_decode(frame, &entry, p->samples, err);

    p->last = frame->seq;
    if (rc < 0 || osw_entry_json(frame, place, rc ? NULL : &entry, p->dicts,
                                 &p->out, err))
        return -1;
    if (frame->seq < p->from)
        osw_text_reset(&p->out);
    return p->out.used < FLUSH_BYTES ? 0 : write_out(&p->out, err);
}

/* Print the records from number `from` on; *last is the last there is. */
static int print_from(const char *dir, uint64_t from, uint64_t *last,
                      struct osw_error *err)
{
    struct osw_journal_tail tail;
    struct printer p = {
        .from = from,
        .last = *last,
        .dicts = osw_dicts_create(),
        .samples = malloc(OSW_RECORD_MAX_SAMPLES * sizeof(*p.samples)),
    };
    int rc = -1;

    if (!p.dicts || !p.samples)
        osw_fail(err, OSW_NO_MEMORY, "no memory to print a journal");
    else
        rc = osw_journal_scan(dir, print_record, &p, &tail, err);
    /* What is whole before an error is printed, too. */
    if (write_out(&p.out, rc ? NULL : err) && rc == 0)
        rc = -1;
    fflush(stdout);
    *last = p.last;
    osw_dicts_destroy(p.dicts);
    osw_text_free(&p.out);
    free(p.samples);
    return rc;
}

static int dump(const struct journal_opts *o, const char *dir,
                struct osw_error *err)
{
    uint64_t last = 0;

    (void)o;
    return print_from(dir, 0, &last, err);
}

/* How many records there are, for a reader that does not hold the lock. */
static int count_records(const char *dir, uint64_t *n, struct osw_error *err)
{
    struct osw_journal_tail tail;

    if (osw_journal_scan(dir, NULL, NULL, &tail, err))
        return -1;
    *n = tail.last_seq;
    return 0;
}

static int tail(const struct journal_opts *o, const char *dir,
                struct osw_error *err)
{
    uint64_t n = 0, last;

    if (count_records(dir, &n, err))
        return -1;
    last = n > o->lines ? n - o->lines : 0;
    if (print_from(dir, last + 1, &last, err))
        return -1;
    while (o->follow) {
        char segment[4096];

        osw_clock_sleep_ns(LOOK_NS);
        osw_journal_segment_path(dir, 0, segment, sizeof(segment));
        if (access(segment, F_OK) != 0)
            return 0; /* the run is complete */
        if (count_records(dir, &n, NULL) == 0 && n > last &&
            print_from(dir, last + 1, &last, err))
            return -1;
    }
    return 0;
}

/* --- verify --- */

static void print_fault(const char *dir, const struct osw_journal_verdict *v)
{
    char segment[4096];

    osw_journal_segment_path(dir, v->segment, segment, sizeof(segment));
    printf("%s: %s at byte %" PRIu64 " of '%s', where record %" PRIu64
           " should be: %s\n",
           dir, v->state == OSW_JOURNAL_TORN ? "torn tail" : "DAMAGED",
           v->offset, segment, v->seq, v->why);
    printf("%s: %" PRIu64 " records before it are whole", dir, v->n_records);
    if (v->n_behind)
        printf(", and %" PRIu64 " behind it, which are not used", v->n_behind);
    printf("; %" PRIu64 " bytes are bad\n", v->n_bad_bytes);
}

static int verify(const struct journal_opts *o, const char *dir,
                  struct osw_error *err)
{
    struct osw_journal_verdict v;
    char who[300];

    (void)o;
    if (osw_journal_verify(dir, &v, err))
        return -1;
    if (osw_lock_look(dir, who, sizeof(who)) != OSW_LOCK_NOBODY)
        printf("%s: held by %s: what it is writing may look like a torn tail\n",
               dir, who);
    if (v.state == OSW_JOURNAL_WHOLE)
        printf("%s: whole: %" PRIu64 " records in %" PRIu32
               " segments, %" PRIu64 " bytes\n",
               dir, v.n_records, v.n_segments, v.n_bytes);
    else
        print_fault(dir, &v);
    return v.state == OSW_JOURNAL_WHOLE ? 0 : osw_status_exit_code(OSW_FAILED);
}

/* --- the command --- */

static const struct verb {
    const char *name;
    int (*run)(const struct journal_opts *o, const char *dir,
               struct osw_error *err);
} verbs[] = {{"dump", dump}, {"verify", verify}, {"tail", tail}};

static int journal_run(void *opts, const struct osw_args *args,
                       struct osw_error *err)
{
    struct osw_text dir = OSW_TEXT_INIT;
    const struct verb *verb = NULL;
    int rc = -1;

    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
        if (strcmp(args->operands[0], verbs[i].name) == 0)
            verb = &verbs[i];
    if (!verb)
        return osw_fail(err, OSW_BAD_INPUT,
                        "expected dump, verify or tail, found '%s'",
                        args->operands[0]);
    if (find_dir(args->operands[1], &dir, err) == 0)
        rc = verb->run(opts, osw_text_str(&dir), err);
    osw_text_free(&dir);
    return rc;
}

extern const struct osw_cmd osw_cmd_journal;
const struct osw_cmd osw_cmd_journal = {
    .name = "journal",
    .operands = "dump|verify|tail FILE",
    .summary = "look into the journal of a run that is not complete",
    .details =
        "FILE is the result file, or its folder FILE.journal.\n"
        "  dump    every record, a line of JSON each\n"
        "  verify  is it whole?  Else: segment, byte, record, and why\n"
        "  tail    the last records (-n), and with -f those to come\n"
        "Nothing is changed, and a run that is writing is not disturbed.\n"
        "Exit codes: 0 ok, 1 torn or damaged (verify), 2 no journal or "
        "damaged\n"
        "(dump, tail), 5 I/O error.\n",
    .min_operands = 2,
    .max_operands = 2,
    .opts = journal_optv,
    .defaults = &journal_defaults,
    .opts_size = sizeof(journal_defaults),
    .run = journal_run,
};
