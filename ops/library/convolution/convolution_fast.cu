/* ops/library/convolution/convolution_fast.cu - a convolution as a product of
 * matrices, summed in float: 16 bits on tensor cores, f32 without them
 *
 * Elements of the next panel are on their way while one is multiplied.  Where
 * eight positions lie side by side (1 x 1), 16 bytes go to shared memory at
 * once; else each element goes through a register.
 */
#include "../shared/convolution_gather.cuh"
#include "../shared/product_ffma.cuh"
#include "../shared/product_tensor.cuh"

/* --- 16 bits --- */

enum { STAGES = 2 };

/* Shared memory of a block. */
template <int TILE> struct room {
    enum {
        A = osw_mma_panel<TILE, true>::ELEMENTS,
        B = osw_mma_panel<TILE, false>::ELEMENTS,
        PANELS = 2 * STAGES * (A + B), /* bytes */
        LOOKS = STAGES * OSW_MMA_K * (int)sizeof(struct osw_gather_look),
        SUMS = TILE * (TILE + OSW_MMA_PAD) * 4,
        ALL = PANELS + LOOKS > SUMS ? PANELS + LOOKS : SUMS,
    };
};

template <class T, int TILE>
__device__ static inline void
write_tile(const struct osw_gather &c, const struct osw_gather_tile &at, int wi,
           int wj, float *tile, const float (&sum)[TILE / 32][TILE / 16][4])
{
    enum { PITCH = TILE + OSW_MMA_PAD, ROWS = OSW_MMA_THREADS / TILE };
    int lane = (int)threadIdx.x % 32, column = (int)threadIdx.x % TILE;
    int64_t first = osw_gather_place(c, at.group, at.i, at.j + column);

    __syncthreads(); /* the panels are no longer needed */
#pragma unroll
    for (int i = 0; i < TILE / 32; i++)
#pragma unroll
        for (int x = 0; x < TILE / 16; x++) {
            float *to = tile + (wi + 16 * i + lane / 4) * PITCH + wj + 8 * x +
                        lane % 4 * 2;

            to[0] = sum[i][x][0];
            to[1] = sum[i][x][1];
            to[8 * PITCH] = sum[i][x][2];
            to[8 * PITCH + 1] = sum[i][x][3];
        }
    __syncthreads();
    if (at.j + column >= c.all)
        return;
    for (int i = (int)threadIdx.x / TILE; i < TILE && at.i + i < c.n_y;
         i += ROWS)
        osw_gather_put<T>(c, at.group * c.n_y + at.i + i,
                          first + i * c.positions, tile[i * PITCH + column]);
}

/* The weights of a group. */
__device__ static inline struct osw_mma_side
weights_of(const struct osw_gather &c, const struct osw_gather_tile &at)
{
    struct osw_operand o = {c.w + at.group * c.n_y * c.k * 2, 0, c.k, 1};

    return osw_mma_side_of(o, 0, c.k, 1, c.n_y, at.i, c.w_packs);
}

/* The channel 0 of a group at the positions that a thread copies; NULL: beyond
 * the last one.
 */
template <int TILE>
__device__ static inline const uint16_t *
points_of(const struct osw_gather &c, const struct osw_gather_tile &at)
{
    int64_t j =
        at.j + (int)threadIdx.x % (TILE / OSW_MMA_PACK) * (int)OSW_MMA_PACK;

    if (j >= c.all)
        return NULL;
    return (const uint16_t *)c.x.data + j / c.positions * c.x.batch +
           at.group * c.n_x * c.x.channel + j % c.positions;
}

/* Start filling a panel with channels from k0 on. */
template <int TILE>
__device__ static inline void load_points(const struct osw_gather &c,
                                          const uint16_t *points, int k0,
                                          uint16_t *panel)
{
    enum {
        ACROSS = TILE / OSW_MMA_PACK,
        DOWN = OSW_MMA_THREADS / ACROSS,
        PITCH = osw_mma_panel<TILE, false>::PITCH,
    };
    int column = (int)threadIdx.x % ACROSS * OSW_MMA_PACK;

#pragma unroll
    for (int i = 0; i < OSW_MMA_K / DOWN; i++) {
        int row = i * DOWN + (int)threadIdx.x / ACROSS;
        int there = points && k0 + row < c.k;

        osw_async_copy16(panel + row * PITCH + column,
                         there ? points + (k0 + row) * c.x.channel
                               : (const uint16_t *)c.x.data,
                         there ? 16 : 0);
    }
}

template <class T, int TILE, bool POINTS>
__global__ void __launch_bounds__(OSW_MMA_THREADS, 2)
    on_tensor_cores(const __grid_constant__ struct osw_gather c)
{
    typedef room<TILE> R;
    enum {
        ROWS = OSW_MMA_THREADS / TILE,
        MINE = OSW_MMA_K / ROWS,
        PITCH = osw_mma_panel<TILE, false>::PITCH,
    };
    uint16_t *shared = (uint16_t *)osw_shared();
    struct osw_gather_look *looks =
        (struct osw_gather_look *)(osw_shared() + R::PANELS);
    struct osw_gather_tile at = osw_gather_tile_of(c, TILE);
    int warp = (int)threadIdx.x / 32,
        n_steps = (c.k + OSW_MMA_K - 1) / OSW_MMA_K;
    int wi = warp / 2 * (TILE / 2), wj = warp % 2 * (TILE / 2);
    int column = (int)threadIdx.x % TILE, row = (int)threadIdx.x / TILE;
    struct osw_gather_column col =
        osw_gather_column_of(c, at.group, at.j + column);
    const uint16_t *points = POINTS ? points_of<TILE>(c, at) : NULL;
    struct osw_mma_side w = weights_of(c, at);
    float sum[TILE / 32][TILE / 16][4] = {};

    if (!POINTS)
        osw_gather_fill<OSW_MMA_K>(c, 0, looks);
    __syncthreads();
    for (int s = -1; s < n_steps; s++) {
        uint16_t *now = shared + (s & 1) * (R::A + R::B);
        uint16_t *next = shared + ((s + 1) & 1) * (R::A + R::B);
        uint16_t v[MINE];

        if (s + 1 < n_steps) {
            osw_mma_load<TILE, true>(w, (s + 1) * OSW_MMA_K, c.k, next);
            if (POINTS)
                load_points<TILE>(c, points, (s + 1) * OSW_MMA_K, next + R::A);
            osw_async_commit();
        }
        if (!POINTS && s + 1 < n_steps) {
            osw_gather_fetch(c, col, looks + ((s + 1) & 1) * OSW_MMA_K, row,
                             ROWS, v);
            osw_gather_fill<OSW_MMA_K>(c, (s + 2) * OSW_MMA_K,
                                       looks + (s & 1) * OSW_MMA_K);
        }
        if (s >= 0)
            osw_mma_panels<T, TILE, true, false>(now, now + R::A, wi, wj, sum);
        if (s + 1 < n_steps) {
#pragma unroll
            for (int i = 0; !POINTS && i < MINE; i++)
                next[R::A + (row + i * ROWS) * PITCH + column] = v[i];
            osw_async_wait<0>();
        }
        __syncthreads();
    }
    write_tile<T, TILE>(c, at, wi, wj, (float *)shared, sum);
}

template <class T, int TILE, bool POINTS>
static int launch_tensor(const osw_call *call, const struct osw_gather &c)
{
    static osw_per_device<size_t> allowed;

    osw_launch_allow(on_tensor_cores<T, TILE, POINTS>, room<TILE>::ALL,
                     &allowed.here());
    return osw_gather_launch(call, on_tensor_cores<T, TILE, POINTS>, c, TILE,
                             OSW_MMA_THREADS, room<TILE>::ALL);
}

template <class T, bool POINTS>
static int launch_16_bits(const osw_call *call, const struct osw_gather &c)
{
    return osw_gather_is_big(c) ? launch_tensor<T, 128, POINTS>(call, c)
                                : launch_tensor<T, 64, POINTS>(call, c);
}

/* --- f32 --- */

template <int TILE>
__device__ static inline void
write_floats(const struct osw_gather &c, const struct osw_gather_tile &at,
             const float (&sum)[TILE / 16][TILE / 16])
{
    int ti = (int)threadIdx.x / 16, tj = (int)threadIdx.x % 16;

#pragma unroll
    for (int x = 0; x < TILE / 16; x++) {
        int64_t j = at.j + x / 4 * 64 + tj * 4 + x % 4;
        int64_t first = osw_gather_place(c, at.group, 0, j);

        if (j >= c.all)
            return;
#pragma unroll
        for (int y = 0; y < TILE / 16; y++) {
            int64_t i = at.i + y / 4 * 64 + ti * 4 + y % 4;

            if (i < c.n_y)
                osw_gather_put<float>(c, at.group * c.n_y + i,
                                      first + i * c.positions, sum[y][x]);
        }
    }
}

template <int TILE>
__global__ void __launch_bounds__(OSW_FFMA_THREADS, 2)
    in_floats(const __grid_constant__ struct osw_gather c)
{
    enum {
        EACH = TILE * OSW_FFMA_K / OSW_FFMA_THREADS,
        ROWS = OSW_FFMA_THREADS / TILE,
    };
    __shared__ __align__(16) float a[2][OSW_FFMA_K][TILE + OSW_FFMA_PAD];
    __shared__ __align__(16) float b[2][OSW_FFMA_K][TILE + OSW_FFMA_PAD];
    __shared__ struct osw_gather_look looks[2][OSW_FFMA_K];
    struct osw_gather_tile at = osw_gather_tile_of(c, TILE);
    struct osw_operand w = {c.w + at.group * c.n_y * c.k * 4, 0, c.k, 1};
    struct osw_ffma_side side =
        osw_ffma_side_of<TILE, true>(w, 0, c.k, 1, c.n_y, at.i, 0);
    int column = (int)threadIdx.x % TILE, row = (int)threadIdx.x / TILE;
    struct osw_gather_column col =
        osw_gather_column_of(c, at.group, at.j + column);
    float sum[TILE / 16][TILE / 16] = {}, ra[EACH], rb[EACH];

    osw_gather_fill<OSW_FFMA_K>(c, 0, looks[0]);
    __syncthreads();
    osw_ffma_read<TILE, true>(side, c.k, ra);
    osw_gather_fetch(c, col, looks[0], row, ROWS, rb);
    for (int k = 0, half = 0; k < c.k; half ^= 1) {
        osw_ffma_store<TILE, true>(side, ra, a[half]);
#pragma unroll
        for (int i = 0; i < EACH; i++)
            b[half][row + i * ROWS][column] = rb[i];
        k += OSW_FFMA_K;
        osw_gather_fill<OSW_FFMA_K>(c, k, looks[half ^ 1]);
        __syncthreads(); /* the other half may still be read until here */
        osw_ffma_read<TILE, true>(side, c.k - k, ra);
        osw_gather_fetch(c, col, looks[half ^ 1], row, ROWS, rb);
        osw_ffma_panels<TILE>(a[half], b[half], sum);
    }
    write_floats<TILE>(c, at, sum);
}

/* --- host --- */

static int launch_floats(const osw_call *call, const struct osw_gather &c)
{
    return osw_gather_is_big(c) ? osw_gather_launch(call, in_floats<128>, c,
                                                    128, OSW_FFMA_THREADS, 0)
                                : osw_gather_launch(call, in_floats<64>, c, 64,
                                                    OSW_FFMA_THREADS, 0);
}

extern "C" int convolution_kernel_impl(const osw_call *call)
{
    struct osw_conv c = {};
    struct osw_gather j;
    int rc = osw_conv_open(call, &c);

    if (rc)
        return rc;
    if (osw_numel(c.out) == 0)
        return 0;
    rc = osw_gather_of(&c, &j);
    if (rc)
        return rc;
    return osw_by_dtype(c.input->dtype, [&](auto e) {
        typedef decltype(e) T;

        if constexpr (sizeof(T) == 4)
            return launch_floats(call, j);
        else
            return j.points ? launch_16_bits<T, true>(call, j)
                            : launch_16_bits<T, false>(call, j);
    });
}
