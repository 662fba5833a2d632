/* worker/sandbox/open_apart.c - a device whose driver's threads write no cache
 */
#include "worker/sandbox/open_apart.h"

#include <errno.h>
#include <pthread.h>

#include "worker/sandbox/isolate.h"

struct opening {
    const struct osw_device_ops *ops;
    struct osw_device **out;
    struct osw_error *err;
    int rc;
};

static void *open_limited(void *arg)
{
    struct opening *o = arg;

    if (osw_isolate_end(o->ops->kind, false) < 0)
        o->rc = osw_fail_sys(o->err, errno, "cannot limit a device's threads");
    else
        o->rc = osw_device_open(o->ops, 0, o->out, o->err);
    return NULL;
}

int osw_open_apart(const struct osw_device_ops *ops, struct osw_device **out,
                   struct osw_error *err)
{
    struct opening o = {.ops = ops, .out = out, .err = err, .rc = -1};
    pthread_t thread;
    bool lost;
    int e;

    if (!ops->own_memory)
        return osw_device_open(ops, 0, out, err);
    e = pthread_create(&thread, NULL, open_limited, &o);
    if (e)
        return osw_fail_sys(err, e, "cannot start a thread");
    pthread_join(thread, NULL);
    /* A call makes the device's context this thread's, too. */
    return o.rc < 0 || (*out)->ops->sync(*out, &lost, err) != 0 ? -1 : 0;
}
