/* worker/judge/memory/layout.c - where things lie in an arena (pure arithmetic)
 */
#include "worker/judge/memory/layout.h"

#include "ops/notation/tensor.h"
#include "worker/judge/memory/guard.h"

static uint64_t align(uint64_t n)
{
    return (n + OSW_LAYOUT_ALIGN - 1) / OSW_LAYOUT_ALIGN * OSW_LAYOUT_ALIGN;
}

/* Place `bytes` after *at, with a guard on both sides; returns their offset. */
static uint64_t place(uint64_t *at, uint64_t bytes, uint64_t limit)
{
    uint64_t guard = osw_guard_bytes(bytes), offset;

    if (*at > limit || bytes > limit || limit - *at < bytes ||
        limit - *at - bytes < 2 * guard + 2 * OSW_LAYOUT_ALIGN) {
        *at = OSW_NO_OFFSET;
        return OSW_NO_OFFSET;
    }
    offset = align(*at + guard);
    *at = align(offset + bytes) + guard;
    return offset;
}

uint64_t osw_layout_inputs(const struct osw_tensor_desc *const *tensors,
                           size_t n, uint64_t limit, uint64_t *offsets)
{
    uint64_t at = 0;

    for (size_t i = 0; i < n && at != OSW_NO_OFFSET; i++) {
        uint64_t before = osw_tensor_bytes_before(tensors[i]);

        offsets[i] =
            place(&at, before + (uint64_t)osw_tensor_bytes(tensors[i]), limit);
        if (offsets[i] != OSW_NO_OFFSET)
            offsets[i] += before;
    }
    return at;
}

uint64_t osw_layout_outputs(struct osw_output *outputs, size_t n, uint64_t at,
                            uint64_t limit)
{
    for (size_t i = 0; i < n && at != OSW_NO_OFFSET; i++)
        if (outputs[i].alias < 0)
            outputs[i].offset =
                place(&at, (uint64_t)osw_output_extent(&outputs[i]), limit);
    return at;
}
