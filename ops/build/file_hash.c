/* ops/build/file_hash.c - SHA-256 of files, read once
 */
#include "ops/build/file_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sha256.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"

enum { N_SLOTS = 1024 };

static const int64_t max_bytes = INT64_C(64) << 20;

/* Times of files step by 10 ms at most here, by 1 s on some other systems. */
static const int64_t settled_ns = INT64_C(2000000000);

/* What tells one state of a file from another. */
struct state {
    dev_t device;
    ino_t inode;
    off_t bytes;
    int64_t changed_ns, status_ns;
};

static struct slot {
    bool used;
    struct state state;
    uint8_t sha256[OSW_FILE_HASH_BYTES];
} slots[N_SLOTS];

static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t ns_of(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct state state_of(const struct stat *st)
{
    return (struct state){.device = st->st_dev,
                          .inode = st->st_ino,
                          .bytes = st->st_size,
                          .changed_ns = ns_of(st->st_mtim),
                          .status_ns = ns_of(st->st_ctim)};
}

static bool same(const struct state *a, const struct state *b)
{
    return a->device == b->device && a->inode == b->inode &&
           a->bytes == b->bytes && a->changed_ns == b->changed_ns &&
           a->status_ns == b->status_ns;
}

static struct slot *slot_of(const struct state *state)
{
    uint64_t mixed =
        ((uint64_t)state->inode ^ ((uint64_t)state->device << 32)) *
        UINT64_C(0x9e3779b97f4a7c15);

    return &slots[mixed >> 54];
}

_Static_assert(N_SLOTS == 1 << (64 - 54), "a slot for every value of 10 bits");

static bool recall(const struct state *state, uint8_t *sha256)
{
    const struct slot *slot = slot_of(state);
    bool found;

    pthread_mutex_lock(&slots_lock);
    found = slot->used && same(&slot->state, state);
    if (found)
        memcpy(sha256, slot->sha256, OSW_FILE_HASH_BYTES);
    pthread_mutex_unlock(&slots_lock);
    return found;
}

static void keep(const struct state *state, const uint8_t *sha256)
{
    struct slot *slot = slot_of(state);

    pthread_mutex_lock(&slots_lock);
    slot->used = true;
    slot->state = *state;
    memcpy(slot->sha256, sha256, OSW_FILE_HASH_BYTES);
    pthread_mutex_unlock(&slots_lock);
}

static int check(const char *path, const struct stat *st, struct osw_error *err)
{
    if (!S_ISREG(st->st_mode) || st->st_size > max_bytes)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected a plain file of at most %lld MiB", path,
                        (long long)(max_bytes >> 20));
    return 0;
}

/* A file that grows meanwhile is not followed beyond the limit. */
static int hash_open(int fd, const char *path, uint8_t *sha256,
                     struct osw_error *err)
{
    uint8_t chunk[16384];
    int64_t left = max_bytes;
    SHA2_CTX sha;

    SHA256Init(&sha);
    while (left > 0) {
        ssize_t n = read(fd, chunk, sizeof(chunk));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return osw_fail_sys(err, errno, "cannot read '%s'", path);
        if (n == 0)
            break;
        SHA256Update(&sha, chunk, (size_t)n);
        left -= n;
    }
    SHA256Final(sha256, &sha);
    return 0;
}

/* A hash is kept only if the file did not change while it was read. */
static int hash_file(const char *path, struct osw_file_hash *hash,
                     struct osw_error *err)
{
    int64_t now_ns = osw_clock_unix_ns();
    struct state before, after;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    int rc = -1;

    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot read '%s'", path);
    if (fstat(fd, &st) < 0) {
        osw_fail_sys(err, errno, "cannot read '%s'", path);
        goto out;
    }
    before = state_of(&st);
    if (check(path, &st, err) < 0 || hash_open(fd, path, hash->sha256, err) < 0)
        goto out;
    hash->changed_unix_ns = before.changed_ns;
    rc = 0;
    if (fstat(fd, &st) < 0)
        goto out;
    after = state_of(&st);
    if (same(&before, &after) && now_ns - before.changed_ns > settled_ns &&
        now_ns - before.status_ns > settled_ns)
        keep(&before, hash->sha256);
out:
    close(fd);
    return rc;
}

int osw_file_hash(const char *path, struct osw_file_hash *hash,
                  struct osw_error *err)
{
    struct stat st;
    struct state state;

    if (stat(path, &st) < 0)
        return osw_fail_sys(err, errno, "cannot read '%s'", path);
    if (check(path, &st, err) < 0) /* opening a device may do things */
        return -1;
    state = state_of(&st);
    hash->changed_unix_ns = state.changed_ns;
    if (recall(&state, hash->sha256))
        return 0;
    return hash_file(path, hash, err);
}
