/* mpi_runner/batch/slurm_job.c - what Slurm says of a job */
#include "mpi_runner/batch/slurm_job.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "mpi_runner/batch/batch_script.h"
#include "mpi_runner/batch/job_comment.h"
#include "mpi_runner/batch/slurm.h"
#include "ops/build/tool.h"

enum { MAX_ANSWER = 16 << 20 };
_Static_assert(OSW_SLURM_MAX_JOBS == OSW_BATCH_MAX_SHARDS + 1, "an array fits");
static const int64_t deadline_ns = INT64_C(10000000000);

bool osw_slurm_is_job(const char *word)
{
    size_t n = strspn(word, "0123456789");

    if (n == 0 || n > 12)
        return false;
    return word[n] == '\0' ||
           (word[n] == '_' && word[n + 1] &&
            word[n + 1 + strspn(word + n + 1, "0123456789[]-,%")] == '\0');
}

/* --- one line --- */

/* Does " Key=" begin at the blank s? */
static bool is_next_key(const char *s)
{
    size_t n = 1;

    while (isalnum((unsigned char)s[n]) || s[n] == '/' || s[n] == ':' ||
           s[n] == '_')
        n++;
    return n > 1 && s[n] == '=' && isupper((unsigned char)s[1]);
}

/* The value of a key into out[size]; "" when it is not there.  A value ends
 * before the next key, since paths and comments may hold blanks.
 */
static void find_value(const char *line, const char *key, char *out,
                       size_t size)
{
    size_t n_key = strlen(key), n = 0;
    const char *s = line;

    out[0] = '\0';
    while ((s = strstr(s, key)) &&
           ((s != line && s[-1] != ' ') || s[n_key] != '='))
        s += n_key;
    if (!s)
        return;
    s += n_key + 1;
    while (s[n] && s[n] != '\n' && !(s[n] == ' ' && is_next_key(s + n)))
        n++;
    while (n > 0 && s[n - 1] == ' ')
        n--;
    if (n >= size)
        n = size - 1;
    memcpy(out, s, n);
    out[n] = '\0';
    if (strcmp(out, "(null)") == 0 || strcmp(out, "N/A") == 0)
        out[0] = '\0';
}

/* Append, with %a as the task of the array. */
static void add_path(char *out, size_t size, const char *path, const char *task)
{
    size_t used = strlen(out);

    for (; *path && used + 1 < size; path++) {
        if (path[0] == '%' && path[1] == 'a' && *task) {
            used += (size_t)snprintf(out + used, size - used, "%s", task);
            path++;
        } else {
            out[used++] = *path;
            out[used] = '\0';
        }
    }
}

static void set_file(const char *line, const char *task,
                     struct osw_slurm_job *out)
{
    char comment[OSW_SLURM_MAX_PATH], dir[OSW_SLURM_MAX_PATH];
    const char *file;

    find_value(line, "Comment", comment, sizeof(comment));
    find_value(line, "WorkDir", dir, sizeof(dir));
    file = osw_job_comment_file(comment);
    out->file[0] = '\0';
    if (!file || strlen(dir) + strlen(file) + 32 >= sizeof(out->file))
        return;
    if (*file != '/' && *dir)
        strcat(strcpy(out->file, dir), "/");
    add_path(out->file, sizeof(out->file), file, task);
}

bool osw_slurm_job_parse(const char *line, struct osw_slurm_job *out)
{
    char array[20], task[20];

    memset(out, 0, sizeof(*out));
    find_value(line, "JobId", out->id, sizeof(out->id));
    find_value(line, "JobState", out->state, sizeof(out->state));
    if (!*out->id || !*out->state)
        return false;
    find_value(line, "ArrayJobId", array, sizeof(array));
    find_value(line, "ArrayTaskId", task, sizeof(task));
    if (strspn(task, "0123456789") != strlen(task))
        task[0] = '\0'; /* several that did not start yet */
    if (*array && *task)
        snprintf(out->id, sizeof(out->id), "%.15s_%.15s", array, task);
    find_value(line, "Reason", out->reason, sizeof(out->reason));
    if (strcmp(out->reason, "None") == 0)
        out->reason[0] = '\0';
    find_value(line, "NodeList", out->nodes, sizeof(out->nodes));
    find_value(line, "RunTime", out->run_time, sizeof(out->run_time));
    find_value(line, "TimeLimit", out->time_limit, sizeof(out->time_limit));
    find_value(line, "StdOut", out->stdout_path, sizeof(out->stdout_path));
    set_file(line, task, out);
    return true;
}

/* --- asking --- */

struct answer {
    struct osw_text text;
    bool cut; /* there was more */
};

static void collect(void *arg, const char *bytes, size_t n)
{
    struct answer *a = arg;

    a->cut |= n > MAX_ANSWER - a->text.used;
    if (!a->cut)
        osw_text_add_n(&a->text, bytes, n);
}

/* How many; one more than OSW_SLURM_MAX_JOBS: there are more. */
static size_t parse_lines(char *text, struct osw_slurm_job *out)
{
    struct osw_slurm_job more;
    size_t n = 0;
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest);
         line && n <= OSW_SLURM_MAX_JOBS; line = strtok_r(NULL, "\n", &rest))
        n +=
            osw_slurm_job_parse(line, n < OSW_SLURM_MAX_JOBS ? &out[n] : &more);
    return n;
}

static int fail_too_many(const char *id, struct osw_error *err)
{
    return osw_fail(err, OSW_BAD_INPUT,
                    "job %.20s: expected at most %d jobs, found more; "
                    "%.20s_TASK names one task of an array",
                    id, OSW_SLURM_MAX_JOBS, id);
}

int osw_slurm_job_ask(const char *id, struct osw_slurm_job *out, size_t *n,
                      struct osw_error *err)
{
    const char *const argv[] = {"scontrol", "--oneliner", "show",
                                "job",      id,           NULL};
    struct answer answer = {.text = OSW_TEXT_INIT};
    struct osw_tool tool = {.argv = argv,
                            .deadline_ns = deadline_ns,
                            .sink = collect,
                            .sink_arg = &answer};
    struct osw_tool_end end = {.exit_code = -1};
    char what[32];
    int rc = osw_tool_run(&tool, &end, err);

    *n = 0;
    if (rc == 0 && answer.text.failed)
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for what scontrol says");
    if (rc == 0 && end.late)
        rc = osw_fail(err, OSW_SYSTEM, "scontrol gave no answer in 10 s");
    if (rc == 0 && !answer.cut && answer.text.data && end.exit_code == 0)
        *n = parse_lines(answer.text.data, out);
    if (rc == 0 && (answer.cut || *n > OSW_SLURM_MAX_JOBS))
        rc = fail_too_many(id, err);
    if (rc == 0 && *n == 0) {
        snprintf(what, sizeof(what), "job %.20s", id);
        rc = osw_slurm_refuse(what, answer.text.data ? answer.text.data : "",
                              err);
    }
    osw_text_free(&answer.text);
    return rc;
}
