/* mpi_runner/generate/template.c - texts with holes, ours or the user's */
#include "mpi_runner/generate/template.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/suggest.h"

static const unsigned char prompt[] = {
#include "mpi_runner/generate/templates/prompt.txt.inc"
};
static const unsigned char contract_c[] = {
#include "mpi_runner/generate/templates/contract_c.txt.inc"
};
static const unsigned char contract_cuda[] = {
#include "mpi_runner/generate/templates/contract_cuda.txt.inc"
};
static const unsigned char contract_triton[] = {
#include "mpi_runner/generate/templates/contract_triton.txt.inc"
};
static const unsigned char contract_python[] = {
#include "mpi_runner/generate/templates/contract_python.txt.inc"
};
static const unsigned char task_start[] = {
#include "mpi_runner/generate/templates/task_start.txt.inc"
};
static const unsigned char task_repair[] = {
#include "mpi_runner/generate/templates/task_repair.txt.inc"
};
static const unsigned char task_improve[] = {
#include "mpi_runner/generate/templates/task_improve.txt.inc"
};

static const struct {
    const char *file;
    const unsigned char *bytes;
    size_t n;
} ours[] = {
#define ROW(name)                                                              \
    {                                                                          \
#name ".txt", name, sizeof(name)                                       \
    }
    ROW(prompt),          ROW(contract_c),      ROW(contract_cuda),
    ROW(contract_triton), ROW(contract_python), ROW(task_start),
    ROW(task_repair),     ROW(task_improve),
#undef ROW
};

enum { N_OURS = sizeof(ours) / sizeof(ours[0]) };

/* The user's file; NULL without err: there is none. */
static const char *read_theirs(osw_arena_t *arena, const char *dir,
                               const char *file, struct osw_error *err)
{
    char path[4096];
    char *text = osw_arena_alloc(arena, OSW_TEMPLATE_MAX + 1);
    FILE *f;
    size_t n;

    if (!text) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for a template");
        return NULL;
    }
    snprintf(path, sizeof(path), "%s/%s", dir, file);
    f = fopen(path, "re");
    if (!f && errno == ENOENT)
        return NULL;
    n = f ? fread(text, 1, OSW_TEMPLATE_MAX + 1, f) : 0;
    if (!f || ferror(f) || n > OSW_TEMPLATE_MAX || memchr(text, '\0', n)) {
        osw_fail(err, OSW_BAD_INPUT,
                 "cannot read the template '%s': expected a text of at most %d "
                 "bytes",
                 path, OSW_TEMPLATE_MAX);
        text = NULL;
    } else {
        text[n] = '\0';
    }
    if (f)
        fclose(f);
    return text;
}

const char *osw_template_get(osw_arena_t *arena, const char *dir,
                             const char *file, struct osw_error *err)
{
    struct osw_error failed = OSW_ERROR_INIT;
    const char *text = dir ? read_theirs(arena, dir, file, &failed) : NULL;

    if (failed.status != OSW_OK) {
        osw_fail(err, failed.status, "%s", failed.text);
        return NULL;
    }
    for (size_t i = 0; !text && i < N_OURS; i++)
        if (strcmp(ours[i].file, file) == 0)
            text = osw_arena_strndup(arena, (const char *)ours[i].bytes,
                                     ours[i].n);
    if (!text)
        osw_fail(err, OSW_NO_MEMORY, "no memory for a template");
    return text;
}

int osw_template_check(const char *dir, struct osw_error *err)
{
    DIR *d = opendir(dir);
    struct dirent *entry;
    int rc = 0;

    if (!d)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--templates': cannot read the folder '%s': %s",
                        dir, strerror(errno));
    while (rc == 0 && (entry = readdir(d))) {
        const char *names[N_OURS];
        char hint[OSW_SUGGEST_HINT];
        size_t i = 0;

        for (; i < N_OURS; i++)
            names[i] = ours[i].file;
        for (i = 0; i < N_OURS; i++)
            if (strcmp(names[i], entry->d_name) == 0)
                break;
        if (i == N_OURS && entry->d_name[0] != '.')
            rc = osw_fail(
                err, OSW_BAD_INPUT,
                "option '--templates': '%s' has '%s', which is no template's "
                "name%s",
                dir, entry->d_name,
                osw_suggest_hint(osw_suggest(entry->d_name, names, N_OURS),
                                 hint));
    }
    closedir(d);
    return rc;
}

int osw_template_fill(const char *text, const struct osw_template_hole *holes,
                      size_t n, struct osw_text *out, struct osw_error *err)
{
    const char *open, *close;

    for (; (open = strstr(text, "{{")); text = close + 2) {
        size_t i = 0, length;

        close = strstr(open, "}}");
        if (!close)
            return osw_fail(err, OSW_BAD_INPUT,
                            "a template has '{{' without '}}'");
        length = (size_t)(close - open - 2);
        while (i < n && (strlen(holes[i].name) != length ||
                         memcmp(holes[i].name, open + 2, length) != 0))
            i++;
        if (i == n)
            return osw_fail(err, OSW_BAD_INPUT,
                            "a template has '{{%.*s}}', which is not known "
                            "there",
                            (int)(length < 40 ? length : 40), open + 2);
        osw_text_add_n(out, text, (size_t)(open - text));
        osw_text_add(out, holes[i].text);
    }
    osw_text_add(out, text);
    return 0;
}
