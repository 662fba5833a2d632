/* mpi_runner/sched/exchange.c - what the members of a gang tell each other, one
 * exchange after the other */
#include "mpi_runner/sched/exchange.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

void osw_exchange_init(struct osw_exchange *x, uint32_t size)
{
    assert(size >= 1 && size <= OSW_GANG_MAX);
    *x = (struct osw_exchange){.size = size, .number = 1};
}

int osw_exchange_add(struct osw_exchange *x, uint32_t rank, uint32_t number,
                     const void *part, uint32_t bytes, struct osw_error *err)
{
    assert(rank < x->size && bytes <= OSW_GANG_MAX_EXCHANGE);
    if (number != x->number || x->have >> rank & 1)
        return osw_fail(err, OSW_PROTOCOL,
                        "rank %" PRIu32 " of the gang is at exchange %" PRIu32
                        ", expected %" PRIu32,
                        rank, number,
                        x->number + (uint32_t)(x->have >> rank & 1));
    if (x->n_have > 0 && bytes != x->bytes)
        return osw_fail(err, OSW_PROTOCOL,
                        "rank %" PRIu32 " of the gang gives %" PRIu32
                        " bytes to exchange %" PRIu32 ", expected %" PRIu32,
                        rank, bytes, number, x->bytes);
    x->bytes = bytes;
    if (bytes)
        memcpy(x->parts + rank * (size_t)bytes, part, bytes);
    x->have |= UINT64_C(1) << rank;
    if (++x->n_have < x->size)
        return 0;
    x->have = 0;
    x->n_have = 0;
    x->number++;
    return 1;
}

bool osw_exchange_is_open(const struct osw_exchange *x)
{
    return x->n_have > 0;
}
