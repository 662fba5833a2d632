/* results/journal/at_work.c - what each worker was at, as it says itself */
#include "results/journal/at_work.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/journal/crc32c.h"

/* The file: in the byte order of the machine, as the segments. */
struct image {
    uint32_t n;
    uint32_t crc; /* of the ranges */
    struct osw_at_work_range ranges[OSW_AT_WORK_MAX];
    struct osw_death death; /* written by the reaper */
};

const int64_t osw_at_work_death_at = offsetof(struct image, death);

static size_t size_of(size_t n)
{
    return offsetof(struct image, ranges) +
           n * sizeof(struct osw_at_work_range);
}

static uint32_t crc_of(const struct osw_at_work_range *ranges, size_t n)
{
    return osw_crc32c((uint32_t)n, ranges, n * sizeof(*ranges));
}

static void print_name(char *out, size_t size, uint32_t session, int32_t rank)
{
    snprintf(out, size, "at_work.%" PRIu32 ".%" PRId32, session, rank);
}

int osw_at_work_open(const char *dir, uint32_t session, int32_t rank)
{
    char path[4096], name[64];

    if (!*dir)
        return -1;
    print_name(name, sizeof(name), session, rank);
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

void osw_at_work_write(int fd, const struct osw_at_work_range *ranges, size_t n)
{
    struct image image = {.n = (uint32_t)n};

    if (fd < 0)
        return;
    if (n > 0 && n <= OSW_AT_WORK_MAX) {
        image.crc = crc_of(ranges, n);
        memcpy(image.ranges, ranges, n * sizeof(*ranges));
        if (pwrite(fd, &image, size_of(n), 0) == (ssize_t)size_of(n))
            return;
    }
    (void)!ftruncate(fd, 0);
}

/* --- reading --- */

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to read the journal");
}

static bool read_name(const char *name, struct osw_at_work *out)
{
    return sscanf(name, "at_work.%" SCNu32 ".%" SCNd32, &out->session,
                  &out->rank) == 2;
}

static int is_file(const struct dirent *e)
{
    struct osw_at_work w;

    return read_name(e->d_name, &w);
}

/* What cannot be trusted is left out: then n is 0, or the death not known. */
static void read_image(const char *dir, const char *name, struct image *out)
{
    char path[4096];
    ssize_t got = -1;
    int fd;

    *out = (struct image){.n = 0};
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd >= 0) {
        got = pread(fd, out, sizeof(*out), 0);
        close(fd);
    }
    if (got < (ssize_t)size_of(0) || out->n > OSW_AT_WORK_MAX ||
        got < (ssize_t)size_of(out->n) ||
        crc_of(out->ranges, out->n) != out->crc)
        out->n = 0;
    if (!osw_death_is_known(&out->death))
        out->death = (struct osw_death){0};
}

static int by_worker(const void *a, const void *b)
{
    const struct osw_at_work *x = a, *y = b;

    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int add(struct osw_at_work_list *list, const char *dir, const char *name,
               struct osw_error *err)
{
    struct osw_at_work w = {.n = 0};
    struct image image;

    if (!read_name(name, &w))
        return 0;
    read_image(dir, name, &image);
    w.n = image.n;
    w.death = image.death;
    if (w.n == 0 && !osw_death_is_known(&w.death))
        return 0;
    w.ranges = malloc((w.n + 1) * sizeof(*w.ranges));
    if (!w.ranges)
        return no_memory(err);
    memcpy(w.ranges, image.ranges, w.n * sizeof(*w.ranges));
    list->workers[list->n++] = w;
    return 0;
}

int osw_at_work_load(const char *dir, struct osw_at_work_list *out,
                     struct osw_error *err)
{
    struct osw_at_work_list list = {.n = 0};
    struct dirent **files = NULL;
    int n = scandir(dir, &files, is_file, NULL);
    int rc = 0;

    list.workers = calloc(n > 0 ? (size_t)n : 1, sizeof(*list.workers));
    if (!list.workers)
        rc = no_memory(err);
    for (int i = 0; i < n; i++) {
        if (rc == 0)
            rc = add(&list, dir, files[i]->d_name, err);
        free(files[i]);
    }
    free(files);
    if (rc) {
        osw_at_work_free(&list);
        return -1;
    }
    qsort(list.workers, list.n, sizeof(*list.workers), by_worker);
    *out = list;
    return 0;
}

void osw_at_work_free(struct osw_at_work_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->workers[i].ranges);
    free(list->workers);
    *list = (struct osw_at_work_list){.n = 0};
}

struct osw_at_work *osw_at_work_find(const struct osw_at_work_list *list,
                                     uint32_t session, int32_t rank)
{
    struct osw_at_work key = {.session = session, .rank = rank};

    return list->n ? bsearch(&key, list->workers, list->n,
                             sizeof(*list->workers), by_worker)
                   : NULL;
}

static struct osw_death read_death(const char *dir, uint32_t session,
                                   int32_t rank)
{
    struct image image = {.n = 0};
    char name[64];

    print_name(name, sizeof(name), session, rank);
    if (dir && *dir)
        read_image(dir, name, &image);
    return image.death;
}

bool osw_at_work_has_ended(const char *dir, uint32_t session, int32_t rank)
{
    const struct osw_death death = read_death(dir, session, rank);

    return osw_death_is_known(&death);
}

bool osw_at_work_was_killed(const char *dir, uint32_t session, int32_t rank)
{
    const struct osw_death death = read_death(dir, session, rank);

    return osw_death_is_external(&death);
}

bool osw_at_work_names(const struct osw_at_work *worker, uint64_t cell)
{
    for (size_t i = 0; i < worker->n; i++)
        if (cell >= worker->ranges[i].first && cell <= worker->ranges[i].last)
            return true;
    return false;
}
