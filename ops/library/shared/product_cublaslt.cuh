/* shared/product_cublaslt.cuh - the product by cuBLASLt
 *
 * Its matrices are column-major, so a row-major out [m, n] is its transpose
 * [n, m] = b' a'.  Whatever has dense rows or columns is read as it lies; for
 * the rest the answer is OSW_UNSUPPORTED.  The algorithm is chosen by its
 * heuristic, once per case.  f32 is computed in f32, without TF32.
 */
#ifndef OSW_LIBRARY_PRODUCT_CUBLASLT_CUH
#define OSW_LIBRARY_PRODUCT_CUBLASLT_CUH

#include "product.cuh"

#include <cublasLt.h>
#include <stdlib.h>

enum { OSW_LT_WORKSPACE = 32 << 20 };

/* How the addend takes part. */
enum osw_lt_plus {
    OSW_LT_NONE,   /* not at all */
    OSW_LT_BIAS,   /* a vector along n, in the epilogue */
    OSW_LT_MATRIX, /* as matrix c */
    OSW_LT_SPREAD, /* written to out first, which is then matrix c */
};

struct osw_lt {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t matmul;
    cublasLtMatrixLayout_t b, a, c, out; /* in cuBLASLt's order */
    cublasLtMatmulAlgo_t algo;
    enum osw_lt_plus plus;
    cudaDataType_t type;
    float alpha_f, beta_f;
    double alpha, beta;
};

/* A matrix of cuBLASLt: [rows, cols], columns `ld` apart. */
struct osw_lt_matrix {
    int64_t rows, cols, ld, batch;
    int transposed;
};

/* x [fast, slow] with these strides, as it lies.  0, or OSW_UNSUPPORTED. */
static inline int osw_lt_matrix_of(struct osw_lt_matrix *x, int64_t fast,
                                   int64_t slow, int64_t fast_stride,
                                   int64_t slow_stride, int64_t batch)
{
    x->transposed = fast_stride != 1 && fast != 1;
    x->rows = x->transposed ? slow : fast;
    x->cols = x->transposed ? fast : slow;
    x->ld = x->transposed ? fast_stride : slow_stride;
    x->batch = batch;
    if (x->transposed && slow_stride != 1 && slow != 1)
        return OSW_UNSUPPORTED;
    if (x->cols == 1 && x->ld < x->rows)
        x->ld = x->rows;
    return x->ld >= x->rows ? 0 : OSW_UNSUPPORTED;
}

static inline int osw_lt_layout(cublasLtMatrixLayout_t *layout,
                                cudaDataType_t type,
                                const struct osw_lt_matrix *x, int64_t n_batch)
{
    int32_t count = (int32_t)n_batch;

    return cublasLtMatrixLayoutCreate(layout, type, (uint64_t)x->rows,
                                      (uint64_t)x->cols, x->ld) ||
           cublasLtMatrixLayoutSetAttribute(*layout,
                                            CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                            &count, sizeof(count)) ||
           cublasLtMatrixLayoutSetAttribute(
               *layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &x->batch,
               sizeof(x->batch));
}

static inline int osw_lt_type(osw_dtype t, cudaDataType_t *type)
{
    if (t.code == OSW_BFLOAT && t.bits == 16)
        *type = CUDA_R_16BF;
    else if (t.code == OSW_FLOAT && t.bits == 16)
        *type = CUDA_R_16F;
    else if (t.code == OSW_FLOAT && t.bits == 32)
        *type = CUDA_R_32F;
    else if (t.code == OSW_FLOAT && t.bits == 64)
        *type = CUDA_R_64F;
    else
        return OSW_UNSUPPORTED;
    return 0;
}

static inline int osw_lt_set_bias(const struct osw_lt *s, const void *bias)
{
    return s->plus == OSW_LT_BIAS &&
           cublasLtMatmulDescSetAttribute(s->matmul,
                                          CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                          &bias, sizeof(bias));
}

static inline int osw_lt_desc(struct osw_lt *s, int b_transposed,
                              int a_transposed, const void *bias)
{
    int is_f64 = s->type == CUDA_R_64F;
    cublasOperation_t b = b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasOperation_t a = a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;

    if (cublasLtMatmulDescCreate(
            &s->matmul, is_f64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
            is_f64 ? CUDA_R_64F : CUDA_R_32F) ||
        cublasLtMatmulDescSetAttribute(s->matmul, CUBLASLT_MATMUL_DESC_TRANSA,
                                       &b, sizeof(b)) ||
        cublasLtMatmulDescSetAttribute(s->matmul, CUBLASLT_MATMUL_DESC_TRANSB,
                                       &a, sizeof(a)))
        return -1;
    if (s->plus != OSW_LT_BIAS)
        return 0;
    return cublasLtMatmulDescSetAttribute(s->matmul,
                                          CUBLASLT_MATMUL_DESC_EPILOGUE,
                                          &epilogue, sizeof(epilogue)) ||
           osw_lt_set_bias(s, bias);
}

static inline int
osw_lt_set_alignment(cublasLtMatmulPreference_t preference,
                     cublasLtMatmulPreferenceAttributes_t attribute,
                     const void *p)
{
    uint32_t bytes = (uint32_t)((uintptr_t)p & 255);

    bytes = bytes ? bytes & (~bytes + 1) : 256;
    return cublasLtMatmulPreferenceSetAttribute(preference, attribute, &bytes,
                                                sizeof(bytes));
}

static inline int osw_lt_choose(struct osw_lt *s,
                                const struct osw_product_view *v)
{
    size_t workspace = OSW_LT_WORKSPACE;
    /* Parts of a sum are not rounded to 16 bits before they are added. */
    uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    cublasLtMatmulPreference_t preference = NULL;
    cublasLtMatmulHeuristicResult_t found;
    const void *c = s->plus == OSW_LT_MATRIX ? v->plus.data : v->out;
    int n = 0, bad;

    if (cublasLtMatmulPreferenceCreate(&preference))
        return -1;
    bad = cublasLtMatmulPreferenceSetAttribute(
              preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
              sizeof(workspace)) ||
          cublasLtMatmulPreferenceSetAttribute(
              preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
              &reduction, sizeof(reduction)) ||
          osw_lt_set_alignment(preference,
                               CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                               v->b.data) ||
          osw_lt_set_alignment(preference,
                               CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                               v->a.data) ||
          osw_lt_set_alignment(preference,
                               CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, c) ||
          osw_lt_set_alignment(
              preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, v->out) ||
          cublasLtMatmulAlgoGetHeuristic(s->handle, s->matmul, s->b, s->a, s->c,
                                         s->out, preference, 1, &found, &n);
    cublasLtMatmulPreferenceDestroy(preference);
    if (bad || n == 0)
        return -1;
    s->algo = found.algo;
    return 0;
}

static inline void osw_lt_forget(struct osw_lt *s)
{
    cublasLtMatrixLayout_t layouts[] = {s->b, s->a, s->c, s->out};

    for (int i = 0; i < 4; i++)
        if (layouts[i])
            cublasLtMatrixLayoutDestroy(layouts[i]);
    if (s->matmul)
        cublasLtMatmulDescDestroy(s->matmul);
    s->b = s->a = s->c = s->out = NULL;
    s->matmul = NULL;
}

static inline void osw_lt_finish(void *state)
{
    struct osw_lt *s = (struct osw_lt *)state;

    if (!s)
        return;
    osw_lt_forget(s);
    if (s->handle)
        cublasLtDestroy(s->handle);
    free(s);
}

/* Descriptions and algorithm for s->plus.  0, OSW_UNSUPPORTED, or -1. */
static inline int osw_lt_plan(struct osw_lt *s,
                              const struct osw_product_view *v)
{
    struct osw_lt_matrix b, a, c, out;

    out.rows = v->n;
    out.cols = v->m;
    out.ld = v->n;
    out.batch = v->m * v->n;
    c = out;
    if (s->plus == OSW_LT_MATRIX)
        c.ld = v->plus.row;
    if (osw_lt_matrix_of(&b, v->n, v->k, v->b.col, v->b.row, v->b.batch) ||
        osw_lt_matrix_of(&a, v->k, v->m, v->a.col, v->a.row, v->a.batch))
        return OSW_UNSUPPORTED;
    if (osw_lt_layout(&s->b, s->type, &b, v->n_batch) ||
        osw_lt_layout(&s->a, s->type, &a, v->n_batch) ||
        osw_lt_layout(&s->c, s->type, &c, v->n_batch) ||
        osw_lt_layout(&s->out, s->type, &out, v->n_batch) ||
        osw_lt_desc(s, b.transposed, a.transposed, v->plus.data))
        return -1;
    return osw_lt_choose(s, v);
}

/* In bf16 with rows of out that are not whole vectors of 16 bytes, cuBLASLt 13
 * rounds the product before its epilogue adds the bias.
 */
static inline int osw_lt_bias_is_exact(cudaDataType_t type, int64_t n)
{
    return type != CUDA_R_16BF || n % 8 == 0;
}

static inline enum osw_lt_plus osw_lt_plus_of(cudaDataType_t type,
                                              const struct osw_product_view *v)
{
    int dense = v->plus.col == 1 || v->n == 1;

    if (!v->plus.data)
        return OSW_LT_NONE;
    if (dense && (v->plus.row == 0 || v->m == 1) && v->beta == 1.0 &&
        osw_lt_bias_is_exact(type, v->n))
        return OSW_LT_BIAS;
    if (dense && v->plus.row >= v->n)
        return OSW_LT_MATRIX;
    return OSW_LT_SPREAD;
}

static inline int osw_lt_prepare(const osw_call *call,
                                 const struct osw_product *p, void **state)
{
    struct osw_product_view v = osw_product_view_of(p);
    struct osw_lt *s = (struct osw_lt *)calloc(1, sizeof(*s));
    int rc;

    *state = s;
    if (!s)
        return OSW_ERROR;
    if (osw_numel(p->out) == 0)
        return 0;
    if (p->k == 0 || p->n_batch > INT32_MAX || osw_lt_type(v.dtype, &s->type))
        return OSW_UNSUPPORTED;
    s->plus = osw_lt_plus_of(s->type, &v);
    s->alpha = v.alpha;
    s->beta = s->plus == OSW_LT_NONE || s->plus == OSW_LT_BIAS ? 0.0 : v.beta;
    if (cublasLtCreate(&s->handle))
        return osw_error(call, "cannot create a cuBLASLt handle");
    rc = osw_lt_plan(s, &v);
    if (rc < 0 && s->plus != OSW_LT_NONE) {
        osw_lt_forget(s);
        s->plus = OSW_LT_SPREAD;
        s->beta = v.beta;
        rc = osw_lt_plan(s, &v);
    }
    s->alpha_f = (float)s->alpha;
    s->beta_f = (float)s->beta;
    return rc < 0 ? osw_error(call, "cuBLASLt has no algorithm for it") : rc;
}

/* out = plus, repeated; T: an integer of its size */
template <class T>
__global__ void osw_lt_spread(T *out, const T *plus, int64_t row, int64_t col,
                              int64_t m, int64_t n)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < m * n;
         i += step)
        out[i] = plus[i / n * row + i % n * col];
}

template <class T>
static inline int osw_lt_spread_plus(const osw_call *call,
                                     const struct osw_product_view *v)
{
    int64_t blocks = (v->m * v->n + 255) / 256;

    return osw_launch(call, osw_lt_spread<T>,
                      dim3((unsigned)(blocks < 65536 ? blocks : 65536)),
                      dim3(256), 0, (T *)v->out, (const T *)v->plus.data,
                      v->plus.row, v->plus.col, v->m, v->n);
}

static inline int osw_product_cublaslt(const osw_call *call,
                                       const struct osw_product *p)
{
    struct osw_product_view v = osw_product_view_of(p);
    struct osw_lt *s = (struct osw_lt *)call->state;
    void *workspace;
    int is_f64;

    if (osw_numel(p->out) == 0)
        return 0;
    if (!s)
        return osw_error(call, "was not prepared");
    workspace = osw_workspace(call, OSW_LT_WORKSPACE);
    if (!workspace)
        return OSW_ERROR;
    is_f64 = s->type == CUDA_R_64F;
    if (s->plus == OSW_LT_SPREAD) {
        if (is_f64)
            osw_lt_spread_plus<uint64_t>(call, &v);
        else if (s->type == CUDA_R_32F)
            osw_lt_spread_plus<uint32_t>(call, &v);
        else
            osw_lt_spread_plus<uint16_t>(call, &v);
    }
    if (osw_lt_set_bias(s, v.plus.data) ||
        cublasLtMatmul(
            s->handle, s->matmul,
            is_f64 ? (void *)&s->alpha : (void *)&s->alpha_f, v.b.data, s->b,
            v.a.data, s->a, is_f64 ? (void *)&s->beta : (void *)&s->beta_f,
            s->plus == OSW_LT_MATRIX ? v.plus.data : v.out, s->c, v.out, s->out,
            &s->algo, workspace, OSW_LT_WORKSPACE, (cudaStream_t)call->stream))
        return osw_error(call, "cublasLtMatmul failed");
    return 0;
}

#endif /* OSW_LIBRARY_PRODUCT_CUBLASLT_CUH */
