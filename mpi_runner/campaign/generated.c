/* mpi_runner/campaign/generated.c - what generators said, so that none is asked
 * twice
 */
#include "mpi_runner/campaign/generated.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/paths.h"
#include "common/wire.h"

static const char variable[] = "OPSWEEP_GENERATED";
enum { MARK = 0x3147534f /* "OSG1" */, HEAD_MAX = 17 + 2 * (3 + UINT16_MAX) };

static struct kept {
    struct kept *next;
    struct osw_generated what;
    char bytes[]; /* path, asked, text, each with its NUL */
} * all;

const struct osw_generated *osw_generated_find(const char *path,
                                               const char *asked, uint64_t seed)
{
    for (const struct kept *k = all; k; k = k->next)
        if (k->what.seed == seed && strcmp(k->what.path, path) == 0 &&
            strcmp(k->what.asked, asked) == 0)
            return &k->what;
    return NULL;
}

/* Copy n bytes and a NUL to *at, which moves past them. */
static const char *put(char **at, const char *bytes, size_t n)
{
    char *copy = memcpy(*at, bytes, n);

    copy[n] = '\0';
    *at += n + 1;
    return copy;
}

void osw_generated_keep(const struct osw_generated *what)
{
    size_t n_path = strlen(what->path), n_asked = strlen(what->asked);
    struct kept *k = malloc(sizeof(*k) + n_path + n_asked + what->n + 3);
    char *at;

    if (!k)
        return;
    at = k->bytes;
    k->what = *what;
    k->what.path = put(&at, what->path, n_path);
    k->what.asked = put(&at, what->asked, n_asked);
    k->what.text = put(&at, what->text, what->n);
    k->next = all;
    all = k;
}

void osw_generated_forget(void)
{
    while (all) {
        struct kept *next = all->next;

        free(all);
        all = next;
    }
}

/* --- as bytes --- */

static bool fits(const char *s)
{
    return strlen(s) <= UINT16_MAX;
}

void osw_generated_encode(struct osw_text *out)
{
    static unsigned char head[HEAD_MAX];
    struct osw_writer w = osw_writer(head, sizeof(head));

    osw_write_u32(&w, MARK);
    osw_text_add_n(out, (const char *)head, w.used);
    for (const struct kept *k = all; k; k = k->next) {
        if (!fits(k->what.path) || !fits(k->what.asked))
            continue;
        w = osw_writer(head, sizeof(head));
        osw_write_u64(&w, k->what.seed);
        osw_write_u8(&w, k->what.failed);
        osw_write_str(&w, k->what.path);
        osw_write_str(&w, k->what.asked);
        osw_write_u64(&w, k->what.n);
        osw_text_add_n(out, (const char *)head, w.used);
        osw_text_add_n(out, k->what.text, k->what.n);
    }
}

int osw_generated_decode(const void *bytes, size_t n, struct osw_error *err)
{
    struct osw_reader r = osw_reader(bytes, n);

    if (osw_read_u32(&r) != MARK)
        return osw_fail(err, OSW_BAD_INPUT,
                        "not what generators said: expected the mark OSG1");
    while (!r.overrun && r.used < r.size) {
        struct osw_generated what = {.seed = osw_read_u64(&r),
                                     .failed = osw_read_u8(&r) != 0};

        what.path = osw_read_str(&r);
        what.asked = osw_read_str(&r);
        what.n = osw_read_u64(&r);
        what.text = osw_read_raw(&r, what.n);
        if (!r.overrun)
            osw_generated_keep(&what);
    }
    return r.overrun ? osw_fail(err, OSW_BAD_INPUT,
                                "what generators said is cut short")
                     : 0;
}

/* --- from one process to the next --- */

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t written = write(fd, bytes, n);

        if (written <= 0)
            return false;
        bytes += written;
        n -= (size_t)written;
    }
    return true;
}

void osw_generated_leave(void)
{
    struct osw_text text = OSW_TEXT_INIT, path = OSW_TEXT_INIT;
    int fd = -1;

    setenv(variable, "", 1); /* not that of a process around this one */
    if (!all)
        return;
    osw_generated_encode(&text);
    osw_text_printf(&path, "%s/opsweep-generated-XXXXXX", osw_paths_temp_dir());
    if (!text.failed && !path.failed)
        fd = mkostemp(path.data, O_CLOEXEC);
    if (fd >= 0) {
        setenv(variable, path.data, 1);
        if (!write_all(fd, text.data, text.used))
            osw_generated_remove();
        close(fd);
    }
    osw_text_free(&text);
    osw_text_free(&path);
}

void osw_generated_remove(void)
{
    const char *path = getenv(variable);

    if (path && *path)
        unlink(path);
}

void osw_generated_take(void)
{
    const char *path = getenv(variable);
    struct osw_error err = OSW_ERROR_INIT;
    struct stat st;
    void *bytes;
    int fd;

    if (!path || !*path)
        return;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return; /* on another node */
    if (fstat(fd, &st) == 0 && st.st_size > 0 && st.st_uid == geteuid()) {
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            (void)!osw_generated_decode(bytes, (size_t)st.st_size, &err);
            munmap(bytes, (size_t)st.st_size);
        }
    }
    close(fd);
}
