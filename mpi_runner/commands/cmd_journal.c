/* mpi_runner/commands/cmd_journal.c - opsweep journal: look into a run's
 * journal */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/cli.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/text.h"
#include "results/export/entry_json.h"
#include "results/file/file.h"
#include "results/file/replaces.h"
#include "results/file/run.h"
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
      "tail: this many of the last records", .letter = 'n', .value = "N" },
    { "follow", OSW_OPT_FLAG, AT(follow),
      "tail: wait for more, until the journal is gone", .letter = 'f' },
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

/* Call f on the journal of the file that the second operand names. */
static int with_dir(const struct journal_opts *o, const struct osw_args *args,
                    int (*f)(const struct journal_opts *o, const char *dir,
                             struct osw_error *err),
                    struct osw_error *err)
{
    struct osw_text dir = OSW_TEXT_INIT;
    int rc = find_dir(args->operands[1], &dir, err);

    if (rc == 0)
        rc = f(o, osw_text_str(&dir), err);
    osw_text_free(&dir);
    return rc;
}

/* Records after damage are whole and not printed: that is an error.  What a run
 * is writing, or did not finish to write, is none.
 */
static int check_damage(const char *dir, struct osw_error *err)
{
    struct osw_journal_verdict v;

    if (osw_journal_verify(dir, &v, err))
        return -1;
    if (v.state != OSW_JOURNAL_DAMAGED)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "'%s' is damaged at record %" PRIu64 " (%s): %" PRIu64
                    " record%s after it %s not printed; opsweep journal "
                    "verify says more",
                    dir, v.seq, v.why, v.n_after, osw_plural(v.n_after),
                    v.n_after == 1 ? "is" : "are");
}

static int dump(const struct journal_opts *o, const char *dir,
                struct osw_error *err)
{
    uint64_t last = 0;

    (void)o;
    return print_from(dir, 0, &last, err) ? -1 : check_damage(dir, err);
}

static int run_dump(void *opts, const struct osw_args *args,
                    struct osw_error *err)
{
    return with_dir(opts, args, dump, err);
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
    if (print_from(dir, last + 1, &last, err) || check_damage(dir, err))
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

static int run_tail(void *opts, const struct osw_args *args,
                    struct osw_error *err)
{
    return with_dir(opts, args, tail, err);
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
    printf("%s: %" PRIu64 " record%s before it %s whole", dir, v->n_records,
           osw_plural(v->n_records), v->n_records == 1 ? "is" : "are");
    if (v->n_after)
        printf(", and %" PRIu64 " after it, which are not used", v->n_after);
    printf("; %" PRIu64 " byte%s bad\n", v->n_bad_bytes,
           v->n_bad_bytes == 1 ? " is" : "s are");
}

static int verify(const struct journal_opts *o, const char *dir,
                  struct osw_error *err)
{
    struct osw_journal_verdict v;
    char who[300];

    (void)o;
    if (osw_journal_verify(dir, &v, err))
        return -1;
    if (osw_lock_look(dir, who, sizeof(who)) != OSW_LOCK_FREE)
        printf("%s: held by %s: what it is writing may look like a torn tail\n",
               dir, who);
    if (v.state == OSW_JOURNAL_WHOLE)
        printf("%s: whole: %" PRIu64 " record%s in %" PRIu32
               " segment%s, %" PRIu64 " bytes\n",
               dir, v.n_records, osw_plural(v.n_records), v.n_segments,
               osw_plural(v.n_segments), v.n_bytes);
    else
        print_fault(dir, &v);
    return v.state == OSW_JOURNAL_WHOLE ? 0 : osw_status_exit_code(OSW_FAILED);
}

static int run_verify(void *opts, const struct osw_args *args,
                      struct osw_error *err)
{
    return with_dir(opts, args, verify, err);
}

/* --- recover --- */

/* A bad record is told before it is cut off. */
static int warn(const char *dir, struct osw_error *err)
{
    struct osw_journal_verdict v;

    if (osw_journal_verify(dir, &v, err))
        return -1;
    if (v.state == OSW_JOURNAL_DAMAGED)
        osw_log(OSW_LOG_WARNING,
                "'%s' is damaged at byte %" PRIu64 " of segment %" PRIu32
                ": %s; opsweep journal verify says more",
                dir, v.offset, v.segment, v.why);
    return 0;
}

/* Before anything changes: would FILE lose results?  What a process is writing
 * is refused by osw_run_open().
 */
static int check(const char *path, struct osw_error *err)
{
    struct osw_text dir = OSW_TEXT_INIT;
    struct osw_replay *replay = NULL;
    int rc = -1;

    osw_text_printf(&dir, "%s.journal", path);
    if (dir.failed)
        osw_fail(err, OSW_NO_MEMORY, "no memory for a path");
    else if (warn(osw_text_str(&dir), err) == 0)
        replay = osw_replay_load(osw_text_str(&dir), err);
    if (replay)
        rc = osw_replaces_whole(path, replay, err);
    osw_replay_destroy(replay);
    osw_text_free(&dir);
    return rc;
}

static int print_file(const char *path, struct osw_error *err)
{
    osw_file_t *file = osw_file_open(path, err);
    const struct osw_file_info *i;
    int code;

    if (!file)
        return -1;
    i = osw_file_info(file);
    printf("%s: %" PRIu64 " of %" PRIu64 " cell%s%s\n", path, i->n_results,
           i->n_planned, osw_plural(i->n_planned),
           i->complete ? "; complete"
                       : "; opsweep run --resume finishes the run");
    code = i->complete ? 0 : osw_status_exit_code(OSW_INCOMPLETE);
    osw_file_close(file);
    return code;
}

static int run_recover(void *opts, const struct osw_args *args,
                       struct osw_error *err)
{
    const char *path = args->operands[1];
    struct osw_text dir = OSW_TEXT_INIT;
    osw_run_t *run;
    int rc;

    (void)opts;
    rc = find_dir(path, &dir, err);
    osw_text_free(&dir);
    if (rc < 0 || check(path, err) < 0)
        return -1;
    run = osw_run_open(path, 0, NULL, err);
    rc = run ? osw_run_recover(run, err) : -1;
    osw_run_close(run);
    return rc < 0 ? -1 : print_file(path, err);
}

/* --- the command --- */

static const struct osw_verb journal_verbs[] = {
    {"dump", "print every record as a line of JSON", run_dump},
    {"verify", "is it whole? Else: segment, byte, record, and why", run_verify},
    {"tail", "print the last records (-n), with -f also those to come",
     run_tail},
    {"recover", "write the result file from what the journal holds",
     run_recover},
    {0},
};

extern const struct osw_cmd osw_cmd_journal;
const struct osw_cmd osw_cmd_journal = {
    .name = "journal",
    .topic = "diagnose",
    .operands = "dump|verify|tail|recover FILE",
    .summary = "read, check or recover the journal of an incomplete run",
    .details =
        "FILE is the result file, or its folder FILE.journal; for recover, "
        "the\n"
        "result file.  dump, verify and tail change nothing and do not "
        "disturb\n"
        "a run that is writing.  recover is for a run that was cut off: it\n"
        "judges nothing, writes FILE and keeps the journal, so that opsweep\n"
        "run --resume FILE can finish the run.  A FILE of another run, or "
        "with\n"
        "cells that the journal lost, stays: exit code 2.\n"
        "Exit codes: 0 ok, 1 torn or damaged (verify), 2 no journal, damaged\n"
        "(dump, tail), or written by another opsweep or a FILE that stays\n"
        "(recover), 4 cells are missing (recover), 5 I/O error.\n",
    .min_operands = 2,
    .max_operands = 2,
    .opts = journal_optv,
    .defaults = &journal_defaults,
    .opts_size = sizeof(journal_defaults),
    .guarded = true,
    .verbs = journal_verbs,
};
