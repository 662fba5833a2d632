/* mpi_runner/batch/queue.c - jobs in Slurm's queue, by number or by file */
#include "mpi_runner/batch/queue.h"

#include <stdbool.h>
#include <string.h>

#include "mpi_runner/batch/job_comment.h"
#include "mpi_runner/batch/slurm.h"

/* "12|RUNNING|0:07|opsweep:/home/me/run.h5" in its parts; `line` is changed.
 * One whose nodes are only cleaned up has ended.
 */
static bool read_job(char *line, struct osw_queue_job *out)
{
    char *rest = line;
    const char *id = strsep(&rest, "|");
    const char *state = strsep(&rest, "|");
    const char *elapsed = strsep(&rest, "|");

    *out = (struct osw_queue_job){
        .id = id, .state = state, .elapsed = elapsed, .comment = rest};
    return rest && strcmp(state, "COMPLETING") != 0;
}

static size_t count_lines(const char *text)
{
    size_t n = 1;

    for (; (text = strchr(text, '\n')); text++)
        n++;
    return n < OSW_QUEUE_MAX_JOBS ? n : OSW_QUEUE_MAX_JOBS;
}

static int read_jobs(osw_arena_t *arena, char *text, struct osw_queue *out,
                     struct osw_error *err)
{
    size_t most = count_lines(text);
    char *rest = NULL;

    *out = (struct osw_queue){
        .items = osw_arena_array(arena, most, sizeof(*out->items))};
    if (!out->items)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a list of jobs");
    for (char *line = strtok_r(text, "\n", &rest); line && out->n < most;
         line = strtok_r(NULL, "\n", &rest))
        out->n += read_job(line, &out->items[out->n]);
    return 0;
}

/* The jobs that `which`, an option of squeue, means. */
static int ask(osw_arena_t *arena, const char *what, const char *which,
               struct osw_queue *out, struct osw_error *err)
{
    const char *const argv[] = {"squeue", "--noheader", "--format=%i|%T|%M|%k",
                                which, NULL};
    struct osw_slurm_answer answer;
    int rc = osw_slurm_call(argv, NULL, &answer, err);

    if (rc == 0 && answer.exit_code != 0)
        rc = osw_slurm_refuse(what, osw_text_str(&answer.out), err);
    if (rc == 0) {
        char *text = osw_arena_strdup(arena, osw_text_str(&answer.out));

        rc = text ? read_jobs(arena, text, out, err)
                  : osw_fail(err, OSW_NO_MEMORY, "no memory for a list");
    }
    osw_text_free(&answer.out);
    return rc;
}

int osw_queue_find_id(osw_arena_t *arena, const char *id, struct osw_queue *out,
                      struct osw_error *err)
{
    const char *which = osw_arena_printf(arena, "--jobs=%s", id);
    const char *what = osw_arena_printf(arena, "job %s", id);

    if (!which || !what)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for an option");
    return ask(arena, what, which, out, err);
}

/* Those that write the file of `comment`, to the front.  Returns how many. */
static size_t keep(const struct osw_queue *jobs, const char *comment)
{
    const char *wanted = osw_job_comment_file(comment);
    size_t n = 0;

    for (size_t i = 0; i < jobs->n; i++) {
        struct osw_queue_job job = jobs->items[i];
        const char *file = osw_job_comment_file(job.comment);

        if (file && strcmp(file, wanted) == 0) {
            jobs->items[i] = jobs->items[n];
            jobs->items[n++] = job;
        }
    }
    return n;
}

int osw_queue_find_file(osw_arena_t *arena, const char *path,
                        struct osw_queue *out, struct osw_error *err)
{
    const char *comment = osw_job_comment(arena, path, err);
    const char *shards;
    size_t n;

    if (!comment || ask(arena, path, "--me", out, err) < 0)
        return -1;
    shards = osw_job_comment_shards(arena, comment);
    if (!shards)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a file's name");
    n = keep(out, shards);
    out->n = n ? n : keep(out, comment);
    return 0;
}

int osw_queue_check_free(osw_arena_t *arena, const char *path,
                         struct osw_error *err)
{
    struct osw_error unused = OSW_ERROR_INIT;
    struct osw_queue jobs;

    if (osw_queue_find_file(arena, path, &jobs, &unused) < 0 || jobs.n == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "'%s': job %s (%s) writes it: expected another --output, "
                    "or --after %.*s",
                    path, jobs.items[0].id, jobs.items[0].state,
                    (int)strcspn(jobs.items[0].id, "_"), jobs.items[0].id);
}
