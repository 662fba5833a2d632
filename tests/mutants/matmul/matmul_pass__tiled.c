/* matmul_pass__tiled.c - tiles of eight by eight by eight */
#include "matmul.h"

enum { TILE = 8 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void tile(const struct matmul *g, int64_t i0, int64_t j0)
{
    float sum[TILE][TILE] = {{0}};

    for (int64_t p = 0; p < g->k; p += TILE)
        for (int64_t i = i0; i < least(i0 + TILE, g->m); i++)
            for (int64_t j = j0; j < least(j0 + TILE, g->n); j++)
                sum[i - i0][j - j0] +=
                    matmul_part(g, i, j, p, least(p + TILE, g->k));
    for (int64_t i = i0; i < least(i0 + TILE, g->m); i++)
        for (int64_t j = j0; j < least(j0 + TILE, g->n); j++)
            matmul_set(g, i, j, (double)sum[i - i0][j - j0]);
}

int matmul_kernel_impl(const osw_call *call)
{
    struct matmul g;
    int rc = matmul_open(call, &g);

    for (int64_t i = 0; !rc && i < g.m; i += TILE)
        for (int64_t j = 0; j < g.n; j += TILE)
            tile(&g, i, j);
    return rc;
}
