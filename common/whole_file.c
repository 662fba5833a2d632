/* common/whole_file.c - a file that is there whole, or not at all */
#include "common/whole_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/guard.h"

/* There, and nothing that may be replaced? */
static bool is_special(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int name_temp(struct osw_whole_file *out, struct osw_error *err)
{
    size_t size = strlen(out->path) + 32;

    out->temp = malloc(size);
    if (!out->temp)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to write '%s'",
                        out->path);
    snprintf(out->temp, size, "%s.tmp.%ld", out->path, (long)getpid());
    return 0;
}

/* As result files do. */
static bool begins_as_hdf5(const char *path)
{
    static const char hdf5[] = "\x89HDF";
    char head[sizeof(hdf5) - 1];
    struct stat st;
    FILE *file;
    bool holds;

    if (stat(path, &st) || !S_ISREG(st.st_mode) || !(file = fopen(path, "re")))
        return false;
    holds = fread(head, sizeof(head), 1, file) == 1 &&
            memcmp(head, hdf5, sizeof(head)) == 0;
    fclose(file);
    return holds;
}

int osw_whole_file_forced(const char *path, struct osw_error *err)
{
    struct stat st;

    if (stat(path, &st))
        return 0;
    if (!S_ISREG(st.st_mode))
        return osw_fail(err, OSW_BAD_INPUT, "'%s' is %s, expected a file", path,
                        S_ISDIR(st.st_mode) ? "a folder" : "no regular file");
    if (st.st_size > 0 && !begins_as_hdf5(path))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is no result file (HDF5): --force replaces "
                        "nothing else",
                        path);
    return 0;
}

/* What names of files end in; the first one of a format is told. */
static const struct {
    const char *format, *ending;
} endings[] = {
    {"text", ".txt"},        {"text", ".log"},  {"text", ".out"},
    {"csv", ".csv"},         {"json", ".json"}, {"markdown", ".md"},
    {"junit", ".xml"},       {"html", ".html"}, {"html", ".htm"},
    {"parquet", ".parquet"},
};

enum { N_ENDINGS = sizeof(endings) / sizeof(endings[0]) };

static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return dot > name ? dot : NULL;
}

static const char *told_ending(const char *format)
{
    for (int i = 0; i < N_ENDINGS; i++)
        if (strcmp(endings[i].format, format) == 0)
            return endings[i].ending;
    return "";
}

int osw_whole_file_fits(const char *path, const char *format,
                        struct osw_error *err)
{
    const char *ending = path ? ending_of(path) : NULL, *other = NULL;
    struct stat st;
    bool is_there = path && stat(path, &st) == 0;

    if (!ending || (is_there && !S_ISREG(st.st_mode)))
        return 0;
    for (int i = 0; i < N_ENDINGS; i++)
        if (strcmp(endings[i].ending, ending) == 0) {
            other = endings[i].format;
            if (strcmp(other, format) == 0)
                return 0;
        }
    if (other)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--output': '%s' has the ending of format "
                        "'%s', and format '%s' is to be written: expected "
                        "another ending, or '--format %s'",
                        path, other, format, other);
    if (is_there && st.st_size > 0 && !begins_as_hdf5(path))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--output': '%s' is there, and only a file "
                        "that ends in %s is replaced: expected another name",
                        path, told_ending(format));
    return 0;
}

int osw_whole_file_apart(const char *path, const char *const *read, size_t n,
                         struct osw_error *err)
{
    struct stat out, in;

    if (!path || stat(path, &out) || !S_ISREG(out.st_mode))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (stat(read[i], &in) == 0 && in.st_dev == out.st_dev &&
            in.st_ino == out.st_ino)
            return osw_fail(err, OSW_BAD_INPUT,
                            "'%s' is to be read and '%s' to be written: they "
                            "are the same file",
                            read[i], path);
    return 0;
}

int osw_whole_file_open(struct osw_whole_file *out, const char *path,
                        struct osw_error *err)
{
    *out = (struct osw_whole_file){.file = stdout};
    if (!path || strcmp(path, "-") == 0)
        return 0;
    out->path = path;
    if (begins_as_hdf5(path))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is a result file (HDF5), expected another name "
                        "for what is to be written",
                        path);
    if (!is_special(path) && name_temp(out, err) < 0)
        return -1;
    osw_guard_unfinished(out->temp);
    out->file = fopen(osw_whole_file_name(out), "we");
    if (out->file)
        return 0;
    osw_fail(err, OSW_BAD_INPUT, "cannot write '%s': %s", path,
             strerror(errno));
    osw_guard_unfinished(NULL);
    free(out->temp);
    return -1;
}

const char *osw_whole_file_name(const struct osw_whole_file *out)
{
    return out->temp ? out->temp : out->path;
}

int osw_whole_file_close(struct osw_whole_file *out, int rc,
                         struct osw_error *err)
{
    bool bad;

    if (!out->path)
        return rc;
    bad = ferror(out->file);
    if (bad && rc < 0) /* the error that was set names no file */
        (void)osw_error_in(err, "'%s'", out->path);
    bad |= fclose(out->file) != 0;
    if (bad && rc == 0)
        rc = osw_fail_sys(err, errno, "cannot write '%s'", out->path);
    if (out->temp && rc == 0 && rename(out->temp, out->path))
        rc = osw_fail_sys(err, errno, "cannot write '%s'", out->path);
    if (out->temp && rc != 0)
        (void)unlink(out->temp);
    osw_guard_unfinished(NULL);
    free(out->temp);
    return rc;
}
