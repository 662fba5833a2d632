/* ops/build/build_wait.c - is the process that holds a build's lock at work? */
#include "ops/build/build_wait.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ops/build/build_cache.h"

enum { SILENCE_PART = 12 };

static const int64_t show_period_ns = 1000000000;
static const int64_t gap_ns = 200 * INT64_C(1000000);

bool osw_build_wait_is_vain(struct osw_build_wait *wait, int64_t shown_ns,
                            int64_t limit_ns, int64_t now_ns)
{
    if (!wait->silence.looked_ns || shown_ns != wait->shown_ns) {
        wait->shown_ns = shown_ns;
        wait->silence = osw_deadline_in(limit_ns / SILENCE_PART, now_ns);
        return false;
    }
    return osw_deadline_left(&wait->silence, now_ns, gap_ns) <= 0;
}

/* Opened anew: network file systems then ask the server for its time. */
int64_t osw_build_wait_shown_ns(const char *dir, const char *name)
{
    char path[OSW_BUILD_MAX_PATH];
    int64_t shown_ns = 0;
    struct stat st;
    int fd;

    osw_build_cache_path(dir, name, "lock", path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (fstat(fd, &st) == 0)
        shown_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    close(fd);
    return shown_ns;
}

void osw_build_wait_show(int fd, int64_t *touched_ns)
{
    int64_t now_ns = osw_clock_ns();

    if (*touched_ns && now_ns - *touched_ns < show_period_ns)
        return;
    *touched_ns = now_ns;
    (void)futimens(fd, NULL); /* others wait less long without */
}
