/* scatter.value - entry by entry of the index */
#include "../shared/scatter.h"

int scatter__value_meta(const osw_call *call)
{
    struct osw_scatter s = {0};
    struct osw_element element;

    return osw_scatter_open_value(call, &s, &element);
}

int scatter__value_reference(const osw_call *call)
{
    struct osw_scatter s = {0};
    struct osw_element element;
    int rc = osw_scatter_open_value(call, &s, &element);
    const osw_tensor *index = s.index.tensor;
    size_t bytes;

    if (rc)
        return rc;
    if (!osw_picking_in_range(index, osw_scatter_n(&s)))
        return osw_error(call, "index is out of range");
    bytes = s.out->dtype.bits / 8;
    for (int64_t i = 0; i < osw_numel(s.out); i++)
        memcpy(osw_at(s.out, i), osw_at(s.self, osw_offset(s.self, i)), bytes);
    for (int64_t i = 0; i < osw_numel(index); i++) {
        int64_t to = 0, rest = i;

        for (int32_t d = index->ndim - 1; d >= 0; d--) {
            int64_t k = rest % index->shape[d];

            to += (d == s.index.dim ? osw_get_int(index, i) : k) *
                  s.out->strides[d];
            rest /= index->shape[d];
        }
        memcpy(osw_at(s.out, to), element.words, bytes);
    }
    return 0;
}
