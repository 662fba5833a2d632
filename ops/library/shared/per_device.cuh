/* shared/per_device.cuh - what a device is asked once, and each device apart
 *
 * A process may call with one device, then with another.  What holds on the
 * first, as the shared memory that a kernel is allowed, need not on the second.
 */
#ifndef OSW_LIBRARY_PER_DEVICE_CUH
#define OSW_LIBRARY_PER_DEVICE_CUH

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

enum { OSW_PER_DEVICE_MOST = 16 }; /* of others, nothing is remembered */

/* A static variable of a T for each device: zeros at first. */
template <class T> struct osw_per_device {
    T of[OSW_PER_DEVICE_MOST + 1];

    /* That of the current device. */
    T &here(void)
    {
        int device = 0;

        if (cudaGetDevice(&device) != cudaSuccess || device < 0 ||
            device >= OSW_PER_DEVICE_MOST) {
            device = OSW_PER_DEVICE_MOST;
            of[device] = T();
        }
        return of[device];
    }
};

/* An attribute of the current device; `otherwise` where it cannot be asked. */
static inline int osw_device_ask(enum cudaDeviceAttr what, int otherwise)
{
    int device = 0, n = 0;

    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&n, what, device) != cudaSuccess)
        return otherwise;
    return n;
}

/* Multiprocessors of the device. */
static inline int osw_sm_count(void)
{
    static osw_per_device<int> kept;
    int &n = kept.here();

    if (n == 0)
        n = osw_device_ask(cudaDevAttrMultiProcessorCount, 1);
    return n;
}

/* Bytes of shared memory that a block may have; a rest is left for what is
 * reduced.
 */
static inline int64_t osw_launch_room(void)
{
    static osw_per_device<int> kept;
    int &most = kept.here();

    if (most == 0)
        most =
            osw_device_ask(cudaDevAttrMaxSharedMemoryPerBlockOptin, 48 * 1024);
    return most - 4096;
}

/* Let a kernel have more than 48 KiB of shared memory.  *allowed: what it was
 * given on this device, of a static osw_per_device<size_t>.
 */
template <class... P>
static inline void osw_launch_allow(void (*kernel)(P...), size_t shared_bytes,
                                    size_t *allowed)
{
    if (shared_bytes > *allowed &&
        cudaFuncSetAttribute(kernel,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)shared_bytes) == cudaSuccess)
        *allowed = shared_bytes;
}

/* The bytes that CUB asks for, of the last call of a thread: a static
 * thread_local variable of a kernel.
 */
struct osw_last_bytes {
    int64_t n, length; /* of what; 0: nothing yet */
    int device;
    size_t bytes;
};

/* Are they those of such a call on this device?  They will be. */
static inline bool osw_last_bytes_are(struct osw_last_bytes *last, int64_t n,
                                      int64_t length)
{
    int device = 0;
    bool known = cudaGetDevice(&device) == cudaSuccess && last->n == n &&
                 last->length == length && last->device == device;

    last->n = n;
    last->length = length;
    last->device = device;
    return known;
}

#endif /* OSW_LIBRARY_PER_DEVICE_CUH */
