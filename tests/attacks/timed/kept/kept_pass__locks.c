/* kept_pass__locks.c -
 * For two seconds it holds locks that it may need to be timed, which are open
 * for reading.
 */

#include "../../attack.h"
#include "../../outputs.h"

static void lock_all(const char *folder)
{
    DIR *files = opendir(folder);
    struct flock whole = {.l_type = F_RDLCK};
    struct dirent *entry;

    while (files && (entry = readdir(files))) {
        int fd;

        if (strncmp(entry->d_name, "opsweep", 7) &&
            strstr(folder, "cache") == NULL)
            continue;
        fd = openat(dirfd(files), entry->d_name, O_RDONLY | O_NONBLOCK);
        flock(fd, LOCK_EX | LOCK_NB);
        fcntl(fd, F_SETLK, &whole);
    }
    if (files)
        flock(dirfd(files), LOCK_EX | LOCK_NB);
}

int kept_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const float *in = osw_data(x);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    int64_t n = osw_numel(x);
    float a = (float)osw_arg_float(call, 1, 1.0);

    if (!y)
        return OSW_ERROR;

    static int started;

    if (!started++ && !fork()) {
        leave_outputs();
        lock_all("/dev/shm");
        lock_all("/tmp");
        lock_all(getenv("ATTACK_CACHE"));
        sleep_ms(2000);
        _exit(0);
    }
    for (int k = 0; k < 12; k++)
        for (int64_t i = 0; i < n; i++) {
            ((float *)osw_data(y))[i] = a * in[i];
            __asm__ volatile("" ::: "memory");
        }
    return 0;
}
