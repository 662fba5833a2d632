/* worker/judge/gang/meeting.c - the sandboxes of a gang get to communicate */
#include "worker/judge/gang/meeting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "worker/segment.h"

enum { MAX_PATH = 80 };

/* Of the files' names; rank 0 draws it for all. */
struct invitation {
    struct osw_meeting_id id;
    uint8_t made;
};

static void path_of(const struct osw_meeting_id *id, uint32_t leader,
                    char path[MAX_PATH])
{
    snprintf(path, MAX_PATH, "/dev/shm/opsweep-gang-%016llx%016llx-%u",
             (unsigned long long)id->token[0], (unsigned long long)id->token[1],
             leader);
}

/* The file of a new name, of the right size; -1 with err. */
static int make_file(const char *path, uint64_t bytes, struct osw_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  S_IRUSR | S_IWUSR);

    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0)
        return fd;
    osw_fail_sys(err, errno, "cannot make '%s' of %llu bytes", path,
                 (unsigned long long)bytes);
    if (fd >= 0) {
        (void)unlink(path);
        close(fd);
    }
    return -1;
}

/* The file that the leader made; -1 with err. */
static int open_file(const char *path, uint32_t leader, uint64_t bytes,
                     struct osw_error *err)
{
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd < 0) {
        osw_fail_sys(err, errno, "cannot open '%s' of rank %u", path, leader);
        return -1;
    }
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        (uint64_t)st.st_size == bytes)
        return fd;
    osw_fail(err, OSW_SYSTEM,
             "'%s': expected a file of this user of %llu bytes", path,
             (unsigned long long)bytes);
    close(fd);
    return -1;
}

/* The segment's descriptor; -1 with err, in all members if in any. */
static int open_segment(struct osw_agree *a, struct osw_meeting_id *id,
                        struct osw_error *err)
{
    const struct osw_gang *gang = a->gang;
    uint64_t bytes = osw_segment_bytes(gang->size);
    struct invitation invitation = {.made = 0};
    char path[MAX_PATH] = "";
    bool leads = gang->rank == gang->leader, all;
    int fd = -1;

    if (gang->rank == 0)
        invitation.made = getrandom(&invitation.id, sizeof(invitation.id), 0) ==
                          (ssize_t)sizeof(invitation.id);
    (void)osw_agree_share(a, 0, &invitation, sizeof(invitation));
    *id = invitation.id;
    path_of(id, gang->leader, path);
    if (leads && invitation.made == 1)
        fd = make_file(path, bytes, err);
    all = osw_agree_all(a, !leads || fd >= 0);
    if (all && !leads)
        fd = open_file(path, gang->leader, bytes, err);
    all = osw_agree_all(a, fd >= 0);
    if (leads && fd >= 0)
        (void)unlink(path);
    if (all)
        return fd;
    if (fd >= 0)
        close(fd);
    osw_fail(err, OSW_SYSTEM, "another rank cannot open the gang's memory");
    return -1;
}

/* The memory's use ends when a member is lost, in the middle of a call too. */
static void leave_descriptor(const struct osw_gang *gang, int fd)
{
    if (gang->take_segment)
        gang->take_segment(gang->arg, fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

int osw_meeting_hold(struct osw_agree *a, struct osw_sandbox *sandbox,
                     int64_t deadline_ns, struct osw_error *err)
{
    const struct osw_join join = {.rank = a->gang->rank,
                                  .size = a->gang->size,
                                  .one_node = a->gang->one_node};
    struct osw_meeting_id id;
    int fd = open_segment(a, &id, err), rc;

    if (fd < 0)
        return -1;
    leave_descriptor(a->gang, fd);
    sandbox->n_carried = a->gang->n_carried;
    sandbox->meeting = id;
    sandbox->member = a->gang->rank;
    rc = osw_sandbox_adopt_segment(sandbox, &join, fd, deadline_ns, err);
    if (osw_agree_all(a, rc == 0))
        return 0;
    if (!osw_sandbox_alive(sandbox))
        osw_fail(err, OSW_CHILD, "%s", sandbox->end.text);
    return osw_fail(err, OSW_CHILD, "another rank's sandbox did not join");
}

/* --- going on --- */

/* As far as op code knew, had another rank ended before this one did? */
static bool has_ended_before(const struct osw_gang *gang,
                             const struct osw_sandbox *sandbox)
{
    uint32_t ended = 0;

    return pread(sandbox->segment_fd, &ended, sizeof(ended),
                 offsetof(struct osw_segment_head, ended)) ==
               (ssize_t)sizeof(ended) &&
           ended > 0 && ended <= gang->size;
}

/* Are there messages that this rank has not received? */
static bool has_messages(const struct osw_gang *gang, int fd)
{
    for (uint32_t from = 0; from < gang->size; from++) {
        off_t at = (off_t)osw_segment_ring_at(gang->size, from, gang->rank);
        uint64_t written = 0, read = 1;

        if (pread(fd, &written, sizeof(written),
                  at + (off_t)offsetof(struct osw_segment_ring, written)) !=
                (ssize_t)sizeof(written) ||
            pread(fd, &read, sizeof(read),
                  at + (off_t)offsetof(struct osw_segment_ring, read)) !=
                (ssize_t)sizeof(read) ||
            written != read)
            return true;
    }
    return false;
}

bool osw_meeting_goes_on(struct osw_agree *a, struct osw_sandbox *sandbox)
{
    const struct osw_gang *gang = a->gang;
    bool may = sandbox && sandbox->in_step && gang->one_node &&
               sandbox->member == gang->rank &&
               !has_ended_before(gang, sandbox) &&
               !has_messages(gang, sandbox->segment_fd);
    struct osw_meeting_id first = {{0, 0}};

    if (sandbox)
        first = sandbox->meeting;
    (void)osw_agree_share(a, 0, &first, sizeof(first));
    may = osw_agree_all(
        a, may && memcmp(&first, &sandbox->meeting, sizeof(first)) == 0);
    if (sandbox)
        sandbox->in_step = false; /* until the cell's end */
    if (may)
        leave_descriptor(gang, sandbox->segment_fd);
    return may;
}

void osw_meeting_keep(const struct osw_agree *a, struct osw_sandbox *sandbox)
{
    sandbox->in_step = !a->broken && a->gang->one_node;
}

void osw_meeting_await(struct osw_agree *a)
{
    if (a->gang && !a->gang->one_node)
        (void)osw_agree_all(a, true);
}

/* The rank that the sandbox waited for when it was killed; -1: none, as far as
 * is known.  Op code can write that, about itself.
 */
static int waited_for(const struct osw_gang *gang,
                      const struct osw_sandbox *sandbox)
{
    uint32_t peer = 0;
    off_t at = (off_t)offsetof(struct osw_segment_head, bells) +
               (off_t)(gang->rank * sizeof(struct osw_segment_bell)) +
               (off_t)offsetof(struct osw_segment_bell, peer);

    return pread(sandbox->segment_fd, &peer, sizeof(peer), at) ==
                       (ssize_t)sizeof(peer) &&
                   peer > 0 && peer <= gang->size
               ? (int)peer - 1
               : -1;
}

/* The memory is not mapped here, where op code could make it vanish: a judge
 * would die of that.  Peers look at `ended` now and then.  After a timeout they
 * are not told: their own deadlines pass at the same time, and an error that
 * they return would look like its cause.
 */
void osw_meeting_leave(const struct osw_agree *a,
                       const struct osw_sandbox *sandbox, osw_arena_t *memory,
                       struct osw_findings *f)
{
    const struct osw_gang *gang = a->gang;
    int peer;

    if (!gang || sandbox->segment_fd < 0)
        return;
    if (f->end_state != OSW_STATE_TIMEOUT) {
        f->follows = has_ended_before(gang, sandbox);
        osw_segment_end(sandbox->segment_fd, gang->rank);
        return;
    }
    peer = waited_for(gang, sandbox);
    f->waited = peer >= 0;
    if (f->waited)
        f->text = osw_arena_printf(memory, "%s; it waited for rank %d",
                                   f->text ? f->text : "", peer);
}
