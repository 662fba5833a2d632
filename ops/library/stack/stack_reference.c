/* ops/library/stack/stack_reference.c - tensors side by side in a dimension of
 * their own
 */
#include "../shared/copy_reference.h"
#include "stack.h"

int stack_meta(const osw_call *call)
{
    struct osw_stack s;

    return osw_stack_open(call, &s);
}

int stack_reference(const osw_call *call)
{
    struct osw_stack s = {0};
    int rc = osw_stack_open(call, &s);

    for (uint32_t i = 0; rc == 0 && i < s.list->n; i++) {
        struct osw_view place;
        const osw_tensor *from = osw_stack_part(&s, i, &place);

        rc = osw_copy_reference(call, &place.t, from);
    }
    return rc;
}
