/* worker/device/device.h - what judge and sandbox need from hardware
 *
 * One row per kind of device.  device_cpu.c runs everywhere; a plugin brings
 * others (CUDA), so that nothing else links against them.
 *
 * Memory that a judge shares with one sandbox is a map: the judge creates it,
 * the sandbox opens it from what travels with the LOAD message (a descriptor
 * on CPU, an IPC handle on a GPU).  No map is seen by two sandboxes.
 */
#ifndef OSW_WORKER_DEVICE_DEVICE_H
#define OSW_WORKER_DEVICE_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include <opsweep/op.h>

#include "common/error.h"

struct osw_device_ops;

/* Base of every device.  A backend embeds it first and adds its own state. */
struct osw_device {
    const struct osw_device_ops *ops;
    int index; /* ordinal among visible devices of this kind, from 0 */
    char name[128];
};

struct osw_map {
    void *base; /* in this process; NULL: not mapped */
    uint64_t bytes;
    int fd; /* to send along; -1: none */
    unsigned char handle[64];
};

struct osw_device_ops {
    const char *kind; /* "cpu", "cuda": as written in a campaign */
    int32_t dl_type;  /* OSW_CPU, OSW_CUDA */

    /* Devices visible to this process; 0 when there are none. */
    int (*count)(size_t *n, struct osw_error *err);

    /* Open device `index`.  The caller owns *out and must close() it. */
    int (*open)(int index, struct osw_device **out, struct osw_error *err);
    void (*close)(struct osw_device *dev); /* NULL is ignored */

    /* Judge: memory of `bytes` to share with one sandbox.  Only pages that
     * are touched cost memory.  The sandbox can neither grow nor shrink it.
     */
    int (*map_create)(struct osw_device *dev, uint64_t bytes,
                      struct osw_map *out, struct osw_error *err);
    /* Judge: memory of its own; likewise only touched pages cost. */
    int (*map_private)(struct osw_device *dev, uint64_t bytes,
                       struct osw_map *out, struct osw_error *err);
    /* Sandbox: map what the judge created; map->fd, handle, bytes are given.
     * Closes map->fd.
     */
    int (*map_open)(struct osw_device *dev, struct osw_map *map,
                    struct osw_error *err);
    /* Give back the memory behind [from, bytes); the map stays usable. */
    void (*map_release)(struct osw_device *dev, struct osw_map *map,
                        uint64_t from);
    void (*map_destroy)(struct osw_device *dev, struct osw_map *map);

    /* Sandbox: wait until everything enqueued is done. */
    int (*sync)(struct osw_device *dev, struct osw_error *err);
    /* Sandbox: copy within device memory, and fill with one byte. */
    void (*copy)(struct osw_device *dev, void *to, const void *from,
                 uint64_t bytes);
    void (*set)(struct osw_device *dev, void *to, int byte, uint64_t bytes);
    /* Bracket enqueued work; end waits for it and yields its nanoseconds. */
    void (*time_begin)(struct osw_device *dev);
    int64_t (*time_end)(struct osw_device *dev);
    /* Evict caches, so that the next sample is a cold one. */
    int (*scrub)(struct osw_device *dev, struct osw_error *err);
    /* The stream to hand to op code; NULL on CPU. */
    void *(*stream)(struct osw_device *dev);
};

/* A backend by kind: static storage, or NULL if this build has none such. */
const struct osw_device_ops *osw_device_find(const char *kind);

/* The kind that `--device auto` means here: the first that has a device. */
const char *osw_device_auto(void);

extern const struct osw_device_ops osw_device_cpu_ops;

#endif /* OSW_WORKER_DEVICE_DEVICE_H */
