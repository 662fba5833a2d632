/* mpi_runner/commands/result_files.c - result files by name and by folder */
#include "mpi_runner/commands/result_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for a list of files");
}

static int append(char ***list, size_t *n, const char *path,
                  struct osw_error *err)
{
    char **grown = realloc(*list, (*n + 1) * sizeof(*grown));

    if (!grown)
        return no_memory(err);
    *list = grown;
    grown[*n] = strdup(path);
    if (!grown[*n])
        return no_memory(err);
    (*n)++;
    return 0;
}

static bool is_same(const char *path, const struct stat *like)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_dev == like->st_dev &&
           st.st_ino == like->st_ino;
}

static int add_file(struct osw_result_files *f, const char *path,
                    struct osw_error *err)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return osw_fail(err, OSW_BAD_INPUT, "cannot open '%s': %s", path,
                        strerror(errno));
    for (size_t i = 0; i < f->n; i++)
        if (is_same(f->paths[i], &st))
            return append(&f->twice, &f->n_twice, path, err);
    if (f->n == OSW_RESULT_FILES_MAX)
        return osw_fail(err, OSW_BAD_INPUT, "more than %d files",
                        OSW_RESULT_FILES_MAX);
    return append(&f->paths, &f->n, path, err);
}

static int is_result(const struct dirent *e)
{
    size_t n = strlen(e->d_name);

    return n > 3 && strcmp(e->d_name + n - 3, ".h5") == 0;
}

static int add_folder(struct osw_result_files *f, const char *dir,
                      struct osw_error *err)
{
    size_t size = strlen(dir) + sizeof(((struct dirent *)NULL)->d_name) + 2;
    char *path = malloc(size);
    struct dirent **names = NULL;
    int n = path ? scandir(dir, &names, is_result, alphasort) : -1, rc = 0;

    if (!path)
        rc = no_memory(err);
    else if (n < 0)
        rc = osw_fail(err, OSW_BAD_INPUT, "cannot read folder '%s': %s", dir,
                      strerror(errno));
    else if (n == 0)
        rc = osw_fail(err, OSW_NOTHING,
                      "folder '%s': expected result files (*.h5), found none",
                      dir);
    for (int i = 0; i < n; i++) {
        if (rc == 0) {
            snprintf(path, size, "%s%s%s", dir,
                     dir[strlen(dir) - 1] == '/' ? "" : "/", names[i]->d_name);
            rc = add_file(f, path, err);
        }
        free(names[i]);
    }
    free(names);
    free(path);
    return rc;
}

int osw_result_files(const char *const *operands, size_t n,
                     struct osw_result_files *out, struct osw_error *err)
{
    *out = (struct osw_result_files){.n = 0};
    for (size_t i = 0; i < n; i++) {
        struct stat st;
        bool folder = stat(operands[i], &st) == 0 && S_ISDIR(st.st_mode);

        if ((folder ? add_folder : add_file)(out, operands[i], err) < 0)
            return -1;
    }
    return 0;
}

void osw_result_files_free(struct osw_result_files *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->paths[i]);
    for (size_t i = 0; i < f->n_twice; i++)
        free(f->twice[i]);
    free(f->paths);
    free(f->twice);
}
