# tests/shell/test_per_device.sh - what CUDA kernels keep of a device is kept for each
# device apart: here with a cudart of two devices that differ
#
# takes 1 s

command -v g++ >/dev/null || skip "needs g++"
mkdir "$TMP/fake"
cat >"$TMP/fake/cuda_runtime.h" <<'C'
#include <stddef.h>

enum cudaError_t { cudaSuccess, cudaErrorInvalidValue };
enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrMaxSharedMemoryPerBlockOptin
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };

static int current, n_asked, n_allowed, most_allowed[64], fails;

static inline cudaError_t cudaGetDevice(int *device)
{
    *device = current;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceGetAttribute(int *n, cudaDeviceAttr what,
                                                 int device)
{
    n_asked++;
    *n = (what == cudaDevAttrMultiProcessorCount ? 100 : 100000) + device;
    return cudaSuccess;
}

template <class K>
static inline cudaError_t cudaFuncSetAttribute(K, cudaFuncAttribute, int bytes)
{
    if (fails)
        return cudaErrorInvalidValue;
    n_allowed++;
    most_allowed[current] = bytes;
    return cudaSuccess;
}
C
cat >"$TMP/test.cpp" <<'C'
#include "ops/library/shared/per_device.cuh"

#include <stdio.h>

#define EXPECT(is, what) wrong += (is) ? 0 : (printf("%s\n", what), 1)

static void kernel(int)
{
}

static void allow(int device, size_t bytes)
{
    static osw_per_device<size_t> allowed;

    current = device;
    osw_launch_allow(kernel, bytes, &allowed.here());
}

int main(void)
{
    const int devices[] = {0, 1, 0, 1, 40, 41, 40};
    osw_last_bytes last = {};
    int wrong = 0;

    for (int device : devices) {
        current = device;
        EXPECT(osw_sm_count() == 100 + device, "multiprocessors");
        EXPECT(osw_launch_room() == 100000 + device - 4096, "room");
    }
    EXPECT(n_asked == 2 * (2 + 3), "asked once; each time where not kept");

    allow(0, 1000);
    allow(1, 1000);
    EXPECT(most_allowed[1] == 1000, "the second device");
    allow(0, 1000);
    EXPECT(n_allowed == 2, "allowed once for each device");
    allow(0, 500);
    EXPECT(most_allowed[0] == 1000, "never less than before");
    allow(0, 2000);
    EXPECT(most_allowed[0] == 2000, "more");
    fails = 1;
    allow(1, 3000);
    fails = 0;
    allow(1, 3000);
    EXPECT(most_allowed[1] == 3000, "what failed is tried again");

    current = 0;
    EXPECT(!osw_last_bytes_are(&last, 8, 4), "the first");
    EXPECT(osw_last_bytes_are(&last, 8, 4), "the same");
    EXPECT(!osw_last_bytes_are(&last, 8, 2), "another length");
    current = 1;
    EXPECT(!osw_last_bytes_are(&last, 8, 2), "another device");
    return wrong != 0;
}
C
g++ -std=c++17 -Wall -Wextra -Werror -I"$TMP/fake" -I. -o "$TMP/test" "$TMP/test.cpp"
expect_exit 0 "$TMP/test"

# No kernel keeps such facts in a plain static variable.
! grep -nE '^ +static (int|int64_t|size_t|struct osw_stream_most) [a-z_]+( = |;|,)' \
    ops/library/*/*.cu ops/library/*/*.cuh || fail "a static variable of all devices"
