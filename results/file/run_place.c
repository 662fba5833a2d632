/* results/file/run_place.c - may a run's file and journal be made there? */
#include "results/file/run_place.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text.h"
#include "common/whole_file.h"
#include "results/journal/lock.h"

int osw_run_place_linked(const char *path, struct osw_error *err)
{
    char target[PATH_MAX] = "";
    struct stat st;

    if (stat(path, &st) == 0 || errno != ENOENT ||
        readlink(path, target, sizeof(target) - 1) < 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "'%s' is a link to '%s', which is not there", path, target);
}

static int check_free(const char *path, struct osw_error *err)
{
    struct stat st;

    if (osw_run_place_linked(path, err) < 0)
        return -1;
    if (lstat(path, &st) == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' exists; use --resume to finish the run, or "
                        "--force to replace it",
                        path);
    return 0;
}

/* A run that goes on cannot be finished or replaced. */
static int check_held(const char *journal_dir, struct osw_error *err)
{
    char who[256];

    switch (osw_lock_look(journal_dir, who, sizeof(who))) {
    case OSW_LOCK_HERE:
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is held by %s: its run goes on; expected another "
                        "name for the result file",
                        journal_dir, who);
    case OSW_LOCK_ELSEWHERE:
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is held by %s: opsweep status tells whether its "
                        "run goes on; if not, --resume finishes it",
                        journal_dir, who);
    case OSW_LOCK_FREE:
        break;
    }
    return 0;
}

int osw_run_place_held(const char *path, struct osw_error *err)
{
    struct osw_text journal = OSW_TEXT_INIT;
    int rc;

    if (!path)
        return 0;
    osw_text_printf(&journal, "%s.journal", path);
    rc = journal.failed
             ? osw_fail(err, OSW_NO_MEMORY, "no memory to check '%s'", path)
             : check_held(osw_text_str(&journal), err);
    osw_text_free(&journal);
    return rc;
}

int osw_run_place_check(const char *path, const char *journal_dir, bool force,
                        struct osw_error *err)
{
    struct stat st;

    if (!*path)
        return osw_fail(err, OSW_BAD_INPUT, "no name for the result file");
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return osw_fail(err, OSW_BAD_INPUT, "'%s' is %s, expected a file", path,
                        S_ISDIR(st.st_mode) ? "a folder" : "no regular file");
    if (!force && (check_held(journal_dir, err) || check_free(path, err) ||
                   check_free(journal_dir, err)))
        return -1;
    if (osw_whole_file_forced(path, err))
        return -1;
    if (stat(journal_dir, &st) == 0 && !S_ISDIR(st.st_mode))
        return osw_fail(err, OSW_BAD_INPUT, "'%s' is not a directory",
                        journal_dir);
    return 0;
}

int osw_run_place_try(const char *path, bool force, struct osw_error *err)
{
    struct osw_text journal = OSW_TEXT_INIT, dir = OSW_TEXT_INIT;
    const char *slash = strrchr(path, '/');
    int rc = -1;

    if (strcmp(path, "-") == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--output': expected the name of a file, found "
                        "'-': HDF5 cannot be written to standard output");
    osw_text_printf(&journal, "%s.journal", path);
    osw_text_add_n(&dir, slash ? path : ".",
                   slash ? (size_t)(slash - path) + 1 : 1);
    if (journal.failed || dir.failed)
        osw_fail(err, OSW_NO_MEMORY, "no memory to check '%s'", path);
    else if (access(osw_text_str(&dir), W_OK | X_OK) < 0)
        osw_fail(err, OSW_BAD_INPUT, "cannot write the result file '%s': %s",
                 path, strerror(errno));
    else
        rc = osw_run_place_check(path, osw_text_str(&journal), force, err);
    osw_text_free(&journal);
    osw_text_free(&dir);
    return rc;
}
