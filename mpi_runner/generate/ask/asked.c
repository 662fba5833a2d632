/* mpi_runner/generate/ask/asked.c - the folder of a run, and its journal */
#include "mpi_runner/generate/ask/asked.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/json.h"
#include "common/json_out.h"
#include "common/paths.h"
#include "common/text.h"
#include "results/journal/crc32c.h"

enum { CRC_DIGITS = 8, MAX_JOURNAL = 256 * 1024 * 1024 };
enum { LOCK_PATIENCE_MS = 2000, LOCK_TICK_MS = 20 };
static const char journal_name[] = "journal";

struct osw_asked {
    char *folder;
    int fd; /* of the journal, locked */
    struct osw_asked_op *ops;
    size_t n_ops, room;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the run's journal");
}

const char *osw_asked_folder(const osw_asked_t *asked)
{
    return asked->folder;
}

const struct osw_asked_op *osw_asked_ops(const osw_asked_t *asked, size_t *n)
{
    *n = asked->n_ops;
    return asked->ops;
}

struct osw_asked_op *osw_asked_op(osw_asked_t *asked, const char *name,
                                  struct osw_error *err)
{
    for (size_t i = 0; i < asked->n_ops; i++)
        if (strcmp(asked->ops[i].name, name) == 0)
            return &asked->ops[i];
    if (asked->n_ops == OSW_ASKED_MAX_OPS) {
        osw_fail(err, OSW_BAD_INPUT, "more than %d ops", OSW_ASKED_MAX_OPS);
        return NULL;
    }
    if (asked->n_ops == asked->room) {
        size_t room = asked->room ? 2 * asked->room : 16;
        struct osw_asked_op *more =
            reallocarray(asked->ops, room, sizeof(*more));

        if (!more) {
            no_memory(err);
            return NULL;
        }
        asked->ops = more;
        asked->room = room;
    }
    asked->ops[asked->n_ops] = (struct osw_asked_op){.name = strdup(name)};
    if (!asked->ops[asked->n_ops].name) {
        no_memory(err);
        return NULL;
    }
    return &asked->ops[asked->n_ops++];
}

double osw_asked_spent(const osw_asked_t *asked)
{
    double sum = 0;

    for (size_t i = 0; i < asked->n_ops; i++)
        for (size_t k = 0; k < asked->ops[i].n; k++)
            sum += asked->ops[i].asks[k].cost;
    return sum;
}

/* --- attempts --- */

static int grow(struct osw_asked_op *op, struct osw_error *err)
{
    size_t room = op->room ? 2 * op->room : 8;
    struct osw_attempt *attempts;
    struct osw_ask *asks;

    if (op->n < op->room)
        return 0;
    attempts = reallocarray(op->attempts, room, sizeof(*attempts));
    if (attempts)
        op->attempts = attempts;
    asks = reallocarray(op->asks, room, sizeof(*asks));
    if (asks)
        op->asks = asks;
    if (!attempts || !asks)
        return no_memory(err);
    op->room = room;
    return 0;
}

static int add_attempt(struct osw_asked_op *op, uint32_t parent,
                       const struct osw_ask *ask, struct osw_error *err)
{
    if (op->n == OSW_ATTEMPT_MAX)
        return osw_fail(err, OSW_BAD_INPUT, "op '%s': more than %d attempts",
                        op->name, OSW_ATTEMPT_MAX);
    if (grow(op, err) < 0)
        return -1;
    op->attempts[op->n] = (struct osw_attempt){.number = (uint32_t)op->n + 1,
                                               .parent = parent,
                                               .outcome = OSW_OUTCOME_ASKED};
    op->asks[op->n] = *ask;
    op->asks[op->n].cost = ask->reserved;
    op->n++;
    return 0;
}

/* --- the journal, written --- */

/* JSON on one line: line feeds within strings are escaped. */
static void flatten(struct osw_text *json)
{
    size_t n = 0;

    for (size_t i = 0; i < json->used; i++) {
        if (json->data[i] == '\n') {
            while (i + 1 < json->used && json->data[i + 1] == ' ')
                i++;
            continue;
        }
        json->data[n++] = json->data[i];
    }
    if (json->used > 0)
        json->data[n] = '\0';
    json->used = n;
}

static int sync_line(osw_asked_t *asked, struct osw_text *json,
                     struct osw_error *err)
{
    struct osw_text line = OSW_TEXT_INIT;
    const char *text = (flatten(json), osw_text_str(json));
    off_t start = lseek(asked->fd, 0, SEEK_END);
    int rc = -1;

    if (text)
        osw_text_printf(&line, "%08" PRIx32 " %s\n",
                        osw_crc32c(0, text, json->used), text);
    if (!text || !osw_text_str(&line)) {
        no_memory(err);
    } else if (line.used > OSW_ASKED_MAX_LINE) {
        osw_fail(err, OSW_INTERNAL, "a journal's entry of %zu bytes",
                 line.used);
    } else if (write(asked->fd, line.data, line.used) != (ssize_t)line.used ||
               fdatasync(asked->fd) < 0) {
        osw_fail_sys(err, errno, "cannot write '%s/%s'", asked->folder,
                     journal_name);
        (void)!ftruncate(asked->fd, start);
    } else {
        rc = 0;
    }
    osw_text_free(&line);
    osw_text_free(json);
    return rc;
}

static struct osw_json_out begin_entry(struct osw_text *json, const char *entry,
                                       const char *op, uint32_t number)
{
    struct osw_json_out o = osw_json_out(json);

    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "entry", entry);
    osw_json_out_str(&o, "op", op);
    osw_json_out_u64(&o, "attempt", number);
    return o;
}

int osw_asked_note_ask(osw_asked_t *asked, struct osw_asked_op *op,
                       uint32_t parent, const struct osw_ask *ask,
                       struct osw_error *err)
{
    struct osw_text json = OSW_TEXT_INIT;
    struct osw_json_out o =
        begin_entry(&json, "ask", op->name, (uint32_t)op->n + 1);

    osw_json_out_u64(&o, "parent", parent);
    osw_json_out_f64(&o, "reserved", ask->reserved);
    osw_json_out_str(&o, "prompt_sha256", ask->prompt_sha256);
    osw_json_out_end(&o);
    return sync_line(asked, &json, err) < 0 ? -1
                                            : add_attempt(op, parent, ask, err);
}

int osw_asked_note_answer(osw_asked_t *asked, struct osw_asked_op *op,
                          uint32_t number, enum osw_outcome outcome,
                          const struct osw_ask *ask, struct osw_error *err)
{
    struct osw_text json = OSW_TEXT_INIT;
    struct osw_json_out o = begin_entry(&json, "answer", op->name, number);
    struct osw_ask *mine = &op->asks[number - 1];

    osw_json_out_str(&o, "outcome", osw_outcome_name(outcome));
    osw_json_out_str(&o, "answer_sha256", ask->answer_sha256);
    osw_json_out_f64(&o, "cost", ask->cost);
    osw_json_out_u64(&o, "input_tokens", ask->used.in);
    osw_json_out_u64(&o, "output_tokens", ask->used.out);
    osw_json_out_u64(&o, "cache_read_tokens", ask->used.cache_read);
    osw_json_out_u64(&o, "cache_write_tokens", ask->used.cache_write);
    osw_json_out_i64(&o, "ms", ask->ms);
    osw_json_out_u64(&o, "tries", ask->tries);
    osw_json_out_bool(&o, "same_prompt", ask->same_prompt);
    osw_json_out_str(&o, "stop", ask->stop);
    osw_json_out_str(&o, "model", ask->model);
    osw_json_out_str(&o, "why", ask->why);
    osw_json_out_end(&o);
    if (sync_line(asked, &json, err) < 0)
        return -1;
    *mine = *ask;
    op->attempts[number - 1].outcome = outcome;
    return 0;
}

int osw_asked_note_end(osw_asked_t *asked, struct osw_asked_op *op,
                       const struct osw_attempt *end, struct osw_error *err)
{
    struct osw_text json = OSW_TEXT_INIT;
    struct osw_json_out o = begin_entry(&json, "end", op->name, end->number);
    const struct osw_attempt_verdict *v = &end->verdict;

    osw_json_out_str(&o, "outcome", osw_outcome_name(end->outcome));
    osw_json_out_u64(&o, "twin", end->twin);
    osw_json_out_u64(&o, "planned", v->n_planned);
    osw_json_out_u64(&o, "passed", v->n_passed);
    osw_json_out_u64(&o, "failed", v->n_failed);
    osw_json_out_u64(&o, "errors", v->n_errors);
    osw_json_out_u64(&o, "timed", v->n_timed);
    osw_json_out_f64(&o, "speedup", v->speedup);
    osw_json_out_f64(&o, "speedup_lo", v->speedup_lo);
    osw_json_out_f64(&o, "speedup_hi", v->speedup_hi);
    osw_json_out_f64(&o, "light", v->light);
    osw_json_out_f64(&o, "time_ns", v->time_ns);
    osw_json_out_i64(&o, "judge_ns", v->judge_ns);
    osw_json_out_end(&o);
    if (sync_line(asked, &json, err) < 0)
        return -1;
    op->attempts[end->number - 1].outcome = end->outcome;
    op->attempts[end->number - 1].twin = end->twin;
    op->attempts[end->number - 1].verdict = end->verdict;
    return 0;
}

/* --- the journal, read --- */

static int read_u32(const osw_json_t *e, const char *key, uint32_t most,
                    uint32_t *out, struct osw_error *err)
{
    const osw_json_t *v = osw_json_need(e, key, err);
    uint64_t n = 0;

    if (!v || osw_json_u64(v, &n, err) < 0)
        return -1;
    if (n > most)
        return osw_json_fail(v, err, "expected at most %" PRIu32, most);
    *out = (uint32_t)n;
    return 0;
}

/* Entries of older runs have it not. */
static int read_more_u32(const osw_json_t *e, const char *key, uint32_t most,
                         uint32_t *out, struct osw_error *err)
{
    return osw_json_get(e, key) ? read_u32(e, key, most, out, err) : 0;
}

static int read_words(const osw_json_t *e, const char *key, char *out,
                      size_t size, struct osw_error *err)
{
    const char *text = "";

    if (osw_json_str(osw_json_get(e, key), &text, err) < 0)
        return -1;
    snprintf(out, size, "%s", text);
    return 0;
}

static int read_outcome(const osw_json_t *e, enum osw_outcome *out,
                        struct osw_error *err)
{
    const osw_json_t *v = osw_json_need(e, "outcome", err);
    const char *name = "";

    if (!v || osw_json_str(v, &name, err) < 0)
        return -1;
    *out = osw_outcome_find(name);
    return *out < OSW_N_OUTCOMES
               ? 0
               : osw_json_fail(v, err, "unknown outcome '%s'", name);
}

static int read_ask(struct osw_asked_op *op, const osw_json_t *e,
                    struct osw_error *err)
{
    struct osw_ask ask = {.reserved = 0};
    uint32_t parent, number;

    if (read_u32(e, "attempt", OSW_ATTEMPT_MAX, &number, err) < 0 ||
        read_u32(e, "parent", OSW_ATTEMPT_MAX, &parent, err) < 0 ||
        osw_json_f64(osw_json_get(e, "reserved"), &ask.reserved, err) < 0 ||
        read_words(e, "prompt_sha256", ask.prompt_sha256, 65, err) < 0)
        return -1;
    if (number != op->n + 1 || parent >= number)
        return osw_json_fail(e, err, "expected attempt %zu of an earlier one",
                             op->n + 1);
    return add_attempt(op, parent, &ask, err);
}

static int read_answer(struct osw_asked_op *op, const osw_json_t *e,
                       uint32_t number, struct osw_error *err)
{
    struct osw_ask *ask = &op->asks[number - 1];
    uint32_t ms = 0;

    if (read_outcome(e, &op->attempts[number - 1].outcome, err) < 0 ||
        read_words(e, "answer_sha256", ask->answer_sha256, 65, err) < 0 ||
        read_words(e, "stop", ask->stop, sizeof(ask->stop), err) < 0 ||
        read_words(e, "model", ask->model, sizeof(ask->model), err) < 0 ||
        read_words(e, "why", ask->why, sizeof(ask->why), err) < 0 ||
        osw_json_f64(osw_json_get(e, "cost"), &ask->cost, err) < 0 ||
        osw_json_u64(osw_json_get(e, "input_tokens"), &ask->used.in, err) < 0 ||
        osw_json_u64(osw_json_get(e, "output_tokens"), &ask->used.out, err) <
            0 ||
        osw_json_u64(osw_json_get(e, "cache_read_tokens"),
                     &ask->used.cache_read, err) < 0 ||
        osw_json_u64(osw_json_get(e, "cache_write_tokens"),
                     &ask->used.cache_write, err) < 0 ||
        osw_json_bool(osw_json_get(e, "same_prompt"), &ask->same_prompt, err) <
            0 ||
        read_u32(e, "tries", UINT32_MAX, &ask->tries, err) < 0 ||
        read_u32(e, "ms", UINT32_MAX, &ms, err) < 0)
        return -1;
    ask->ms = ms;
    return 0;
}

static int read_end(struct osw_asked_op *op, const osw_json_t *e,
                    uint32_t number, struct osw_error *err)
{
    struct osw_attempt *a = &op->attempts[number - 1];
    struct osw_attempt_verdict *v = &a->verdict;

    return read_outcome(e, &a->outcome, err) < 0 ||
                   read_u32(e, "twin", OSW_ATTEMPT_MAX, &a->twin, err) < 0 ||
                   read_u32(e, "planned", UINT32_MAX, &v->n_planned, err) < 0 ||
                   read_u32(e, "passed", v->n_planned, &v->n_passed, err) < 0 ||
                   read_more_u32(e, "failed", v->n_planned, &v->n_failed, err) <
                       0 ||
                   read_more_u32(e, "errors", v->n_planned, &v->n_errors, err) <
                       0 ||
                   read_u32(e, "timed", v->n_planned, &v->n_timed, err) < 0 ||
                   osw_json_f64(osw_json_get(e, "speedup"), &v->speedup, err) <
                       0 ||
                   osw_json_f64(osw_json_get(e, "speedup_lo"), &v->speedup_lo,
                                err) < 0 ||
                   osw_json_f64(osw_json_get(e, "speedup_hi"), &v->speedup_hi,
                                err) < 0 ||
                   osw_json_f64(osw_json_get(e, "light"), &v->light, err) < 0 ||
                   osw_json_f64(osw_json_get(e, "time_ns"), &v->time_ns, err) <
                       0 ||
                   osw_json_i64(osw_json_get(e, "judge_ns"), &v->judge_ns,
                                err) < 0
               ? -1
               : 0;
}

static const struct {
    const char *name;
    enum osw_outcome before; /* what an attempt must be */
    int (*read)(struct osw_asked_op *op, const osw_json_t *e, uint32_t number,
                struct osw_error *err);
} entries[] = {
    {"answer", OSW_OUTCOME_ASKED, read_answer},
    {"end", OSW_OUTCOME_ANSWERED, read_end},
};

static int read_entry(osw_asked_t *asked, const osw_json_t *e,
                      struct osw_error *err)
{
    const osw_json_t *kind = osw_json_need(e, "entry", err);
    const osw_json_t *name = kind ? osw_json_need(e, "op", err) : NULL;
    const char *word = "", *op_name = "";
    struct osw_asked_op *op;
    uint32_t number;

    if (!name || osw_json_str(kind, &word, err) < 0 ||
        osw_json_str(name, &op_name, err) < 0)
        return -1;
    op = osw_asked_op(asked, op_name, err);
    if (!op)
        return -1;
    if (strcmp(word, "ask") == 0)
        return read_ask(op, e, err);
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        if (strcmp(word, entries[i].name) != 0)
            continue;
        if (read_u32(e, "attempt", (uint32_t)op->n, &number, err) < 0)
            return -1;
        if (number == 0 ||
            op->attempts[number - 1].outcome != entries[i].before)
            return osw_json_fail(e, err, "expected an attempt that is '%s'",
                                 osw_outcome_name(entries[i].before));
        return entries[i].read(op, e, number, err);
    }
    return osw_json_fail(kind, err, "unknown entry '%s'", word);
}

/* A line, without its end. */
static int read_line(osw_asked_t *asked, const char *line, size_t n, size_t nth,
                     const char *path, struct osw_error *err)
{
    char digits[CRC_DIGITS + 1], source[PATH_MAX + 32], *end;
    osw_json_t *root;
    int rc;

    snprintf(source, sizeof(source), "%s:%zu", path, nth);
    if (n > CRC_DIGITS + 1 && n < OSW_ASKED_MAX_LINE) {
        memcpy(digits, line, CRC_DIGITS);
        digits[CRC_DIGITS] = '\0';
        if (strtoul(digits, &end, 16) ==
                osw_crc32c(0, line + CRC_DIGITS + 1, n - CRC_DIGITS - 1) &&
            *end == '\0' && line[CRC_DIGITS] == ' ') {
            root = osw_json_parse(line + CRC_DIGITS + 1, n - CRC_DIGITS - 1,
                                  source, err);
            rc = root ? read_entry(asked, root, err) : -1;
            osw_json_free(root);
            return rc;
        }
    }
    return osw_fail(err, OSW_BAD_INPUT,
                    "%s: damaged: its checksum is not that of its text",
                    source);
}

static int read_journal(osw_asked_t *asked, const char *path,
                        struct osw_error *err)
{
    char *bytes = NULL, *at, *end;
    size_t n, nth = 0;
    int rc = osw_asked_get(asked, journal_name, MAX_JOURNAL, &bytes, &n, err);

    if (rc < 0)
        return -1;
    for (at = bytes; rc == 0 && (end = memchr(at, '\n', n)); at = end + 1) {
        rc = read_line(asked, at, (size_t)(end - at), ++nth, path, err);
        n -= (size_t)(end - at) + 1;
    }
    /* What was being written when the process was killed. */
    if (rc == 0 && n > 0 && ftruncate(asked->fd, at - bytes) < 0)
        rc = osw_fail_sys(err, errno, "cannot cut '%s'", path);
    free(bytes);
    for (size_t i = 0; rc == 0 && i < asked->n_ops; i++)
        for (size_t k = 0; k < asked->ops[i].n; k++)
            if (asked->ops[i].attempts[k].outcome == OSW_OUTCOME_ASKED)
                asked->ops[i].attempts[k].outcome = OSW_OUTCOME_UNANSWERED;
    return rc;
}

/* A run that was killed holds it until its last process has ended. */
static bool lock_journal(int fd)
{
    for (int waited_ms = 0; waited_ms <= LOCK_PATIENCE_MS;
         waited_ms += LOCK_TICK_MS) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        osw_clock_sleep_ns(LOCK_TICK_MS * INT64_C(1000000));
    }
    return false;
}

static int open_journal(osw_asked_t *asked, bool resume, struct osw_error *err)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", asked->folder, journal_name);
    asked->fd = open(path,
                     O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW |
                         (resume ? 0 : O_CREAT | O_EXCL),
                     0600);
    if (asked->fd < 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        resume ? "'%s' is no folder of a run: no '%s': %s"
                               : "folder '%s' has a '%s' of a run: expected "
                                 "another --run-id, or --resume; %s",
                        asked->folder, journal_name, strerror(errno));
    if (!lock_journal(asked->fd))
        return osw_fail(err, OSW_BAD_INPUT,
                        "another process is at the run in '%s'", asked->folder);
    return resume ? read_journal(asked, path, err) : 0;
}

osw_asked_t *osw_asked_open(const char *folder, bool resume,
                            struct osw_error *err)
{
    osw_asked_t *asked = calloc(1, sizeof(*asked));

    if (!asked || strlen(folder) > PATH_MAX / 2) {
        no_memory(err);
        free(asked);
        return NULL;
    }
    asked->fd = -1;
    asked->folder = strdup(folder);
    if (!asked->folder)
        no_memory(err);
    else if ((resume || osw_paths_make_folders(folder, 0700, err) == 0) &&
             open_journal(asked, resume, err) == 0)
        return asked;
    osw_asked_close(asked);
    return NULL;
}

void osw_asked_close(osw_asked_t *asked)
{
    if (!asked)
        return;
    for (size_t i = 0; i < asked->n_ops; i++) {
        free(asked->ops[i].name);
        free(asked->ops[i].attempts);
        free(asked->ops[i].asks);
    }
    free(asked->ops);
    if (asked->fd >= 0)
        close(asked->fd);
    free(asked->folder);
    free(asked);
}
