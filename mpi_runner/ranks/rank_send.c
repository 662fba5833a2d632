/* mpi_runner/ranks/rank_send.c - messages of a worker rank, out */
#include "mpi_runner/ranks/rank_send.h"

#include "common/clock.h"

bool osw_rank_failed(const struct osw_rank *l)
{
    return l->err->status != OSW_OK;
}

void osw_rank_post(struct osw_rank *l, const struct osw_msg *msg)
{
    if (!osw_rank_failed(l) && osw_link_post(&l->link, msg, l->err) < 0)
        osw_error_in(l->err, "to the coordinator");
}

void osw_rank_flush(struct osw_rank *l, bool all)
{
    int64_t now = osw_clock_ns();

    if (osw_rank_failed(l))
        return;
    if (osw_link_flush(&l->link, all, now, l->err) < 0)
        osw_error_in(l->err, "to the coordinator");
    if (all)
        l->flushed_ns = now;
}
