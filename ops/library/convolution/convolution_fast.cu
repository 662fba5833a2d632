/* ops/library/convolution/convolution_fast.cu - 16-bit convolution as a product
 * on tensor cores, summed in float
 *
 * For each group, y [channels, positions] = w [channels, k] @ x [k, positions]:
 * k counts channels of x and taps, positions those of all images.  The second
 * matrix is never made.  A thread knows the position that its column of a panel
 * belongs to, a table in shared memory says for each k of the panel which
 * channel and tap it is, and elements outside of the image are zeros.  Elements
 * of the next panel are on their way while one is multiplied.
 */
#include "../shared/convolution.h"
#include "../shared/product_tensor.cuh"

enum {
    STAGES = 2,
    LEAST_CHANNELS = 4,
    OUTSIDE = INT32_MIN / 2, /* of any image, also twice */
};

struct job {
    struct osw_conv_image x;
    const uint16_t *w; /* [groups * n_y, k] */
    const char *bias;  /* NULL: none */
    int64_t bias_step;
    char *out; /* contiguous */
    int groups, n_x, n_y, k, w_packs;
    int64_t positions, all; /* of an image, of the batch */
    int size[OSW_CONV_DIMS], out_size[OSW_CONV_DIMS], taps[OSW_CONV_DIMS];
    int stride[OSW_CONV_DIMS], padding[OSW_CONV_DIMS], dilation[OSW_CONV_DIMS];
};

/* Where one k looks, from the place that a position begins at. */
struct look {
    int by[OSW_CONV_DIMS]; /* in places of each dimension */
    int offset;            /* in elements */
};

struct column {
    const uint16_t *x; /* of the first place, which may be outside */
    int at[OSW_CONV_DIMS];
};

/* Shared memory of a block. */
template <int TILE> struct room {
    enum {
        A = osw_mma_panel<TILE, true>::ELEMENTS,
        B = osw_mma_panel<TILE, false>::ELEMENTS,
        PANELS = 2 * STAGES * (A + B), /* bytes */
        LOOKS = STAGES * OSW_MMA_K * (int)sizeof(struct look),
        SUMS = TILE * (TILE + OSW_MMA_PAD) * 4,
        ALL = PANELS + LOOKS > SUMS ? PANELS + LOOKS : SUMS,
    };
};

/* k of a panel from k0 on, by one thread each; those beyond the last one look
 * outside of the image.
 */
__device__ static inline void fill_looks(const struct job &c, int k0,
                                         struct look *to)
{
    int k = k0 + (int)threadIdx.x, rest = k;
    struct look l;

    if (threadIdx.x >= OSW_MMA_K)
        return;
    l.offset = 0;
    for (int d = OSW_CONV_DIMS - 1; d >= 0; d--) {
        l.by[d] = rest % c.taps[d] * c.dilation[d];
        l.offset += l.by[d] * (int)c.x.step[d];
        rest /= c.taps[d];
    }
    l.offset += rest * (int)c.x.channel;
    if (k >= c.k)
        l.by[0] = OUTSIDE;
    to[threadIdx.x] = l;
}

/* The position with number j of the batch. */
__device__ static inline struct column column_of(const struct job &c,
                                                 int64_t group, int64_t j)
{
    int64_t image = j / c.positions, offset;
    int rest = (int)(j % c.positions);
    struct column col;

    offset = image * c.x.batch + group * c.n_x * c.x.channel;
    for (int d = OSW_CONV_DIMS - 1; d >= 0; d--) {
        col.at[d] = rest % c.out_size[d] * c.stride[d] - c.padding[d];
        offset += col.at[d] * c.x.step[d];
        rest /= c.out_size[d];
        if (j >= c.all)
            col.at[d] = OUTSIDE;
    }
    col.x = (const uint16_t *)c.x.data + offset;
    return col;
}

/* Rows first, first + step, ... of a column. */
template <int N>
__device__ static inline void
fetch(const struct job &c, const struct column &col, const struct look *looks,
      int first, int step, uint16_t (&v)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++) {
        struct look l = looks[first + i * step];
        int inside = 1;

#pragma unroll
        for (int d = 0; d < OSW_CONV_DIMS; d++)
            inside &= (unsigned)(col.at[d] + l.by[d]) < (unsigned)c.size[d];
        v[i] = inside ? col.x[l.offset] : (uint16_t)0;
    }
}

template <class T, int TILE>
__device__ static inline void
write_tile(const struct job &c, int64_t group, int64_t i0, int64_t j0, int wi,
           int wj, float *tile, const float (&sum)[TILE / 32][TILE / 16][4])
{
    enum { PITCH = TILE + OSW_MMA_PAD, ROWS = OSW_MMA_THREADS / TILE };
    int lane = (int)threadIdx.x % 32, column = (int)threadIdx.x % TILE;
    int64_t j = j0 + column, channels = (int64_t)c.groups * c.n_y;

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
    if (j >= c.all)
        return;
    for (int i = (int)threadIdx.x / TILE; i < TILE && i0 + i < c.n_y;
         i += ROWS) {
        int64_t channel = group * c.n_y + i0 + i;
        int64_t at = (j / c.positions * channels + channel) * c.positions +
                     j % c.positions;
        float v = tile[i * PITCH + column];

        if (c.bias)
            v += osw_pack_float(((const T *)c.bias)[channel * c.bias_step]);
        ((T *)c.out)[at] = osw_pack_as<T>(v);
    }
}

template <class T, int TILE>
__global__ void __launch_bounds__(OSW_MMA_THREADS, 2)
    multiply(const __grid_constant__ struct job c)
{
    typedef room<TILE> R;
    enum {
        ROWS = OSW_MMA_THREADS / TILE,
        MINE = OSW_MMA_K / ROWS,
        PITCH = osw_mma_panel<TILE, false>::PITCH,
    };
    uint16_t *shared = (uint16_t *)osw_shared();
    struct look *looks = (struct look *)(osw_shared() + R::PANELS);
    int tiles_m = (c.n_y + TILE - 1) / TILE, warp = (int)threadIdx.x / 32;
    int wi = warp / 2 * (TILE / 2), wj = warp % 2 * (TILE / 2);
    int64_t group = blockIdx.y, i0 = (int64_t)(blockIdx.x % tiles_m) * TILE;
    int64_t j0 = (int64_t)(blockIdx.x / tiles_m) * TILE;
    int n_steps = (c.k + OSW_MMA_K - 1) / OSW_MMA_K;
    int column = (int)threadIdx.x % TILE, row = (int)threadIdx.x / TILE;
    struct column col = column_of(c, group, j0 + column);
    struct osw_mma_side w;
    float sum[TILE / 32][TILE / 16][4] = {};

    w.data = (const char *)(c.w + group * c.n_y * c.k);
    w.line = c.k;
    w.k = 1;
    w.n_lines = c.n_y;
    w.first = i0;
    w.packs = c.w_packs;
    fill_looks(c, 0, looks);
    __syncthreads();
    for (int s = -1; s < n_steps; s++) {
        uint16_t *now = shared + (s & 1) * (R::A + R::B);
        uint16_t *next = shared + ((s + 1) & 1) * (R::A + R::B);
        uint16_t v[MINE];

        if (s + 1 < n_steps) {
            osw_mma_load<TILE, true>(w, (s + 1) * OSW_MMA_K, c.k, next);
            osw_async_commit();
            fetch(c, col, looks + ((s + 1) & 1) * OSW_MMA_K, row, ROWS, v);
            fill_looks(c, (s + 2) * OSW_MMA_K, looks + (s & 1) * OSW_MMA_K);
        }
        if (s >= 0)
            osw_mma_panels<T, TILE, true, false>(now, now + R::A, wi, wj, sum);
        if (s + 1 < n_steps) {
#pragma unroll
            for (int i = 0; i < MINE; i++)
                next[R::A + (row + i * ROWS) * PITCH + column] = v[i];
            osw_async_wait<0>();
        }
        __syncthreads();
    }
    write_tile<T, TILE>(c, group, i0, j0, wi, wj, (float *)shared, sum);
}

/* --- host --- */

template <class T, int TILE>
static int launch(const osw_call *call, const struct job &c)
{
    static int allowed = 0;
    int64_t tiles = (c.n_y + TILE - 1) / TILE * ((c.all + TILE - 1) / TILE);

    if (tiles > INT32_MAX || c.groups > OSW_PRODUCT_GRID_Y)
        return OSW_UNSUPPORTED;
    if (!allowed)
        osw_launch_allow(multiply<T, TILE>, room<TILE>::ALL);
    allowed = 1;
    return osw_launch(call, multiply<T, TILE>,
                      dim3((unsigned)tiles, (unsigned)c.groups),
                      dim3(OSW_MMA_THREADS), room<TILE>::ALL, c);
}

template <class T> static int launch_tile(const osw_call *call, struct job c)
{
    int64_t big = osw_tile_count(c.n_y, c.all, 128) * c.groups;

    return c.n_y > 64 && big >= osw_sm_count() ? launch<T, 128>(call, c)
                                               : launch<T, 64>(call, c);
}

/* Elements from the first of an image to the last. */
static int64_t reach_of(const struct osw_conv *c,
                        const struct osw_conv_image *x)
{
    int64_t reach = (c->groups * c->n_x - 1) * x->channel;

    for (int d = 0; d < OSW_CONV_DIMS; d++)
        reach += (c->x[d] + 2 * c->padding[d]) * x->step[d];
    return reach;
}

static int job_of(const struct osw_conv *c, struct job *j)
{
    int64_t k = c->n_x * osw_conv_prod(c->k);

    j->x = osw_conv_image_of(c->input);
    if (c->transposed || c->n_y < LEAST_CHANNELS || k > INT32_MAX / 2 ||
        k < 1 || c->n_y > INT32_MAX / 2 || !osw_is_contiguous(c->weight) ||
        osw_conv_prod(c->y) > INT32_MAX || reach_of(c, &j->x) > INT32_MAX)
        return OSW_UNSUPPORTED;
    j->w = (const uint16_t *)osw_data(c->weight);
    j->bias = c->bias ? (const char *)osw_data(c->bias) : NULL;
    j->bias_step = c->bias ? c->bias->strides[0] : 0;
    j->out = (char *)osw_data(c->out);
    j->groups = (int)c->groups;
    j->n_x = (int)c->n_x;
    j->n_y = (int)c->n_y;
    j->k = (int)k;
    j->w_packs = osw_chunk_aligned(j->w, k, 2);
    j->positions = osw_conv_prod(c->y);
    j->all = j->positions * c->batch;
    for (int d = 0; d < OSW_CONV_DIMS; d++) {
        j->size[d] = (int)c->x[d];
        j->out_size[d] = (int)c->y[d];
        j->taps[d] = (int)c->k[d];
        j->stride[d] = (int)c->stride[d];
        j->padding[d] = (int)c->padding[d];
        j->dilation[d] = (int)c->dilation[d];
    }
    return 0;
}

extern "C" int convolution_kernel_impl(const osw_call *call)
{
    struct osw_conv c = {};
    struct job j;
    int rc = osw_conv_open(call, &c);

    if (rc)
        return rc;
    if (c.input->dtype.bits != 16)
        return OSW_UNSUPPORTED;
    if (osw_numel(c.out) == 0)
        return 0;
    rc = job_of(&c, &j);
    if (rc)
        return rc;
    return c.input->dtype.code == OSW_BFLOAT ? launch_tile<osw_bf16>(call, j)
                                             : launch_tile<osw_f16>(call, j);
}
