/* worker/judge/process/held.h - what the processes of a sandbox hold besides
 * memory of their own: memory of descriptors and shared mappings, files
 *
 * Upstream: sandbox.c, beside watch.h.  By the kernel's account, as that.
 */
#ifndef OSW_WORKER_JUDGE_HELD_H
#define OSW_WORKER_JUDGE_HELD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    OSW_HELD_FILES = 65536, /* that a scratch folder may have */
    OSW_HELD_DEPTH = 128,   /* of folders in it */
};

/* Of its scratch folder. */
#define OSW_HELD_BYTES (UINT64_C(4) << 30)

/* A file without a name: a memfd, shared memory, or one that was deleted. */
struct osw_held_file {
    dev_t device;
    ino_t inode;
    uint64_t bytes;
    bool memory; /* else on disk */
    bool exact;  /* bytes are those that it has, not those that it may have */
};

/* About 45 KiB. */
struct osw_held {
    uint64_t memory;     /* bytes of memory */
    uint64_t file_bytes; /* on disk: in the folder, and without a name */
    uint32_t n_files;    /* in the folder; counting ends above the limit */
    bool too_deep;       /* the folder has some that were not looked into */
    uint32_t n_hidden;   /* processes that may not be looked into */
    char folder[PATH_MAX];
    char locked[128]; /* "": none; a file outside of the folder that the
                         sandbox may not write and has locked exclusively */
    struct osw_held_file files[1024]; /* more than that count at every use */
    size_t n_nameless;
    void (*tick)(void *arg); /* before each process, by osw_held_add(); or NULL,
                                as osw_held_begin() leaves it */
    void *tick_arg;
};

/* Begin with what `folder` has; "": nothing.  Links are not followed, folders
 * that may not be read are opened.
 */
void osw_held_begin(struct osw_held *held, const char *folder);

/* The file of a descriptor of ours is not counted: the arena.  -1: none. */
void osw_held_except(struct osw_held *held, int fd);

/* Note what process `pid` holds.  Files without a name that are open count with
 * their allocated blocks.  Those that are only mapped count with all mapped
 * bytes, since their blocks are not known.
 */
void osw_held_add(struct osw_held *held, pid_t pid);

/* After the last process was added: counts each file once. */
void osw_held_sum(struct osw_held *held);

#endif /* OSW_WORKER_JUDGE_HELD_H */
