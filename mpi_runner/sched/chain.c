/* mpi_runner/sched/chain.c - lists of numbered items, in order */
#include "mpi_runner/sched/chain.h"

void osw_chain_add(struct osw_chain *chain, uint32_t *next, uint32_t item)
{
    next[item] = OSW_CHAIN_NONE;
    if (chain->head == OSW_CHAIN_NONE)
        chain->head = item;
    else
        next[chain->tail] = item;
    chain->tail = item;
}

uint32_t osw_chain_take(struct osw_chain *chain, const uint32_t *next)
{
    uint32_t item = chain->head;

    if (item != OSW_CHAIN_NONE)
        chain->head = next[item];
    return item;
}

void osw_chain_drop(struct osw_chain *chain, uint32_t *next, uint32_t item)
{
    uint32_t *at = &chain->head, before = OSW_CHAIN_NONE;

    while (*at != item) {
        before = *at;
        at = &next[before];
    }
    *at = next[item];
    if (chain->tail == item)
        chain->tail = before;
}
