/* ops/inputs/torch_fills.c - what torch's operators need as inputs, as a table
 */
#include "ops/inputs/torch_fills.h"

#include <string.h>

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* operators: names, each with or without its overload; the first row that has
 * one counts.  args: the first arguments in the schema's order, as far as the
 * fills need them.  fills: "ARGUMENT: FILL; ...", of which a FILL may have
 * alternatives ("A | B": the first that the arguments of the call have a value
 * for), and `?` says that no valid value is known.  In a list of indices,
 * `item` is the dimension that an item indexes.
 */
struct osw_torch_fills {
    const char *operators, *args, *fills;
};

/* clang-format off */
static const struct osw_torch_fills rows[] = {
    /* --- embeddings --- */
    {"embedding", "weight indices", "indices: index(dim(weight, 0))"},
    {"embedding_backward embedding_sparse_backward",
     "grad indices num_weights", "indices: index(num_weights)"},
    {"embedding_dense_backward", "grad_output indices num_weights",
     "indices: index(num_weights)"},
    {"embedding_renorm", "self indices", "indices: index(dim(self, 0))"},
    {"embedding_bag _embedding_bag _embedding_bag_forward_only",
     "weight indices offsets",
     "indices: index(dim(weight, 0)); offsets: ascending(0, numel(indices))"},
    {"_embedding_bag_backward",
     "grad indices offsets offset2bag bag_size maximum_indices num_weights",
     "indices: index(num_weights); offsets: ascending(0, numel(indices));"
     "offset2bag: ascending(0, max(numel(offsets) - 1, 0));"
     "bag_size: shares(numel(indices)); maximum_indices: index(num_weights)"},
    {"_embedding_bag_dense_backward",
     "grad indices offset2bag bag_size maximum_indices num_weights",
     "indices: index(num_weights);"
     "offset2bag: ascending(0, max(numel(bag_size) - 1, 0));"
     "bag_size: shares(numel(indices)); maximum_indices: index(num_weights)"},

    /* --- indices --- */
    {"gather", "self dim index", "index: index(dim(self, dim)) | index(1)"},
    {"gather_backward", "grad self dim index",
     "index: index(dim(self, dim)) | index(1)"},
    {"take_along_dim", "self indices dim",
     "indices: index(dim(self, dim)) | index(numel(self))"},
    {"scatter.src index_copy", "self dim index",
     "index: distinct(dim(self, dim), inner(index, dim)) |"
     "       distinct(dim(self, dim), 1) | index(1)"},
    {"scatter scatter_add scatter_reduce index_select index_add index_fill "
     "index_reduce", "self dim index",
     "index: index(dim(self, dim)) | index(1)"},
    {"index _unsafe_index", "self indices", "indices: index(dim(self, item))"},
    /* Where values are added up, equal ones are the point. */
    {"index_put _unsafe_index_put _index_put_impl",
     "self indices values accumulate",
     "indices: index(dim(self, item) / accumulate) |"
     "         distinct(dim(self, item), 1)"},
    {"index_select_backward", "grad self_sizes dim index", "index: ?"},
    {"value_selecting_reduction_backward", "grad dim indices", "indices: ?"},
    {"cummaxmin_backward", "grad input indices dim",
     "indices: index(dim(input, dim)) | index(1)"},
    {"take", "self index", "index: index(numel(self))"},
    {"put", "self index", "index: distinct(numel(self), 1)"},
    {"_masked_scale", "self mask", "mask: int(0, 1)"},
    {"bitwise_left_shift bitwise_right_shift __lshift__ __rshift__ __ilshift__ "
     "__irshift__", "self other", "other: int(0, 7)"},

    /* --- classes and labels --- */
    {"nll_loss_forward nll_loss2d_forward nll_loss nll_loss2d nll_loss_nd "
     "cross_entropy_loss", "self target weight",
     "target: index(dim(self, min(ndim(self) - 1, 1))); weight: positive"},
    {"nll_loss_backward nll_loss2d_backward",
     "grad_output self target weight reduction ignore_index total_weight",
     "target: index(dim(self, min(ndim(self) - 1, 1))); weight: positive;"
     "total_weight: positive"},
    {"multi_margin_loss", "self target p margin weight",
     "target: index(dim(self, -1)); weight: positive"},
    {"multi_margin_loss_backward", "grad_output self target p margin weight",
     "target: index(dim(self, -1)); weight: positive"},
    {"multilabel_margin_loss multilabel_margin_loss_forward", "self target",
     "target: index(dim(self, -1))"},
    {"multilabel_margin_loss_backward", "grad_output self target",
     "target: index(dim(self, -1))"},
    {"one_hot", "self num_classes", "self: index(num_classes) | index(8)"},
    {"bincount", "self", "self: int(0, 16)"},
    {"ctc_loss _ctc_loss", "log_probs targets input_lengths target_lengths",
     "targets: int(1, max(dim(log_probs, -1) - 1, 1));"
     "input_lengths: constant(dim(log_probs, 0));"
     "target_lengths: constant(dim(targets, 1)) | shares(numel(targets))"},
    {"_ctc_loss_backward",
     "grad log_probs targets input_lengths target_lengths",
     "targets: int(1, max(dim(log_probs, -1) - 1, 1));"
     "input_lengths: constant(dim(log_probs, 0));"
     "target_lengths: constant(dim(targets, 1)) | shares(numel(targets))"},

    /* --- what is sorted, offsets, lengths, counts --- */
    {"bucketize", "self boundaries", "boundaries: ascending(-4, 4)"},
    {"searchsorted", "sorted_sequence self",
     "sorted_sequence: ascending(-4, 4); sorter: ?"},
    {"segment_reduce", "data reduce",
     "lengths: shares(dim(data, axis)) | shares(dim(data, 0));"
     "offsets: ascending(0, dim(data, axis)) | ascending(0, dim(data, 0));"
     "indices: ?"},
    {"_segment_reduce_backward", "grad output data reduce",
     "lengths: shares(dim(data, axis)) | shares(dim(data, 0));"
     "offsets: ascending(0, dim(data, axis)) | ascending(0, dim(data, 0))"},
    {"repeat_interleave.Tensor", "repeats",
     "repeats: shares(output_size) | int(0, 4)"},
    {"repeat_interleave.self_Tensor", "self repeats dim",
     "repeats: shares(output_size) | int(0, 4)"},
    {"_pack_padded_sequence", "input lengths",
     "lengths: constant(min(dim(input, 0), dim(input, 1)))"},
    {"_pad_packed_sequence", "data batch_sizes", "batch_sizes: ?"},
    {"_flash_attention_forward", "query key value cum_seq_q cum_seq_k",
     "cum_seq_q: ascending(0, dim(query, 0));"
     "cum_seq_k: ascending(0, dim(key, 0))"},
    {"_efficient_attention_forward",
     "query key value bias cu_seqlens_q cu_seqlens_k",
     "cu_seqlens_q: ascending(0, dim(query, 1));"
     "cu_seqlens_k: ascending(0, dim(key, 1))"},
    {"_jagged_to_padded_dense_forward", "values offsets",
     "offsets: ascending(0, dim(values, 0))"},
    {"_padded_dense_to_jagged_forward", "dense offsets total_L",
     "offsets: ascending(0, total_L) | ascending(0, dim(dense, 0))"},
    {"tensor_split.tensor_indices_or_sections",
     "self tensor_indices_or_sections",
     "tensor_indices_or_sections: int(1, 4)"},
    {"sparse_coo_tensor.indices sparse_coo_tensor.indices_size "
     "_sparse_coo_tensor_unsafe", "indices", "indices: ?"},

    /* --- pooling, sampling --- */
    {"max_pool2d_with_indices_backward",
     "grad_output self kernel_size stride padding dilation ceil_mode indices",
     "indices: index(dim(self, -1) * dim(self, -2))"},
    {"max_pool3d_with_indices_backward",
     "grad_output self kernel_size stride padding dilation ceil_mode indices",
     "indices: index(dim(self, -1) * dim(self, -2) * dim(self, -3))"},
    {"adaptive_max_pool2d_backward", "grad_output self indices",
     "indices: index(dim(self, -1) * dim(self, -2))"},
    {"adaptive_max_pool3d_backward", "grad_output self indices",
     "indices: index(dim(self, -1) * dim(self, -2) * dim(self, -3))"},
    {"fractional_max_pool2d_backward",
     "grad_output self kernel_size output_size indices",
     "indices: index(dim(self, -1) * dim(self, -2))"},
    {"fractional_max_pool3d_backward",
     "grad_output self kernel_size output_size indices",
     "indices: index(dim(self, -1) * dim(self, -2) * dim(self, -3))"},
    {"fractional_max_pool2d fractional_max_pool3d",
     "self kernel_size output_size random_samples", "random_samples: unit"},
    {"max_unpool2d max_unpool3d", "self indices output_size",
     "indices: distinct(prod(output_size), 1)"},
    {"grid_sampler grid_sampler_2d grid_sampler_3d _grid_sampler_2d_cpu_fallback",
     "input grid", "grid: uniform"},
    {"grid_sampler_2d_backward grid_sampler_3d_backward",
     "grad_output input grid", "grid: uniform"},

    /* --- probabilities, random numbers --- */
    {"bernoulli.default multinomial", "self", "self: unit"},
    {"bernoulli.Tensor", "self p", "p: unit"},
    {"binomial", "count prob", "count: int(0, 8); prob: unit"},
    {"poisson _standard_gamma _sample_dirichlet", "self", "self: positive"},
    {"normal.Tensor_Tensor normal.float_Tensor", "mean std", "std: positive"},
    {"binary_cross_entropy", "self target weight",
     "self: unit; target: unit; weight: positive"},
    {"binary_cross_entropy_backward", "grad_output self target weight",
     "self: unit; target: unit; weight: positive"},
    {"binary_cross_entropy_with_logits", "self target weight pos_weight",
     "target: unit; weight: positive; pos_weight: positive"},
    {"kl_div", "self target", "target: positive"},
    {"quantile nanquantile", "self q", "q: unit"},

    /* --- variances, norms, scales --- */
    {"native_batch_norm _native_batch_norm_legit.default batch_norm cudnn_batch_norm "
     "miopen_batch_norm _native_batch_norm_legit_no_training "
     "_batch_norm_with_update",
     "input weight bias running_mean running_var", "running_var: positive"},
    {"native_batch_norm_backward",
     "grad_out input weight running_mean running_var save_mean save_invstd",
     "running_var: positive; save_invstd: positive"},
    {"cudnn_batch_norm_backward",
     "input grad_output weight running_mean running_var save_mean save_var "
     "epsilon reserveSpace",
     "running_var: positive; save_var: positive; reserveSpace: ?"},
    {"native_layer_norm_backward", "grad_out input normalized_shape mean rstd",
     "rstd: positive"},
    {"native_group_norm_backward", "grad_out input mean rstd",
     "rstd: positive"},
    {"batch_norm_elemt", "input weight bias mean invstd", "invstd: positive"},
    {"_weight_norm_interface_backward", "grad_w saved_v saved_g saved_norms",
     "saved_norms: positive"},
    {"_cdist_backward", "grad x1 x2 p cdist", "cdist: positive"},
    {"_pdist_backward", "grad self p pdist", "pdist: positive"},
    {"quantize_per_tensor.tensor_qparams fake_quantize_per_tensor_affine"
     ".tensor_qparams", "self scale zero_point",
     "scale: positive; zero_point: int(0, 8)"},
    {"quantize_per_channel", "self scales zero_points",
     "scales: positive; zero_points: int(0, 8)"},
    {"fake_quantize_per_channel_affine "
     "fake_quantize_per_channel_affine_cachemask", "self scale zero_point",
     "scale: positive; zero_point: int(0, 8)"},

    /* --- where functions are real; divisors that are not 0 --- */
    {"log log2 log10 lgamma digamma sqrt rsqrt reciprocal special_entr",
     "self", "self: positive"},
    {"asin acos atanh erfinv arcsin arccos arctanh log1p", "self",
     "self: uniform"},
    {"acosh arccosh mvlgamma", "self", "self: offset(6)"},
    {"logit special_logit special_ndtri", "self", "self: unit"},
    {"xlogy special_xlog1py", "self other", "other: positive"},
    {"igamma igammac special_gammainc special_gammaincc", "self other",
     "self: positive; other: positive"},
    {"special_zeta", "self other", "self: offset(6); other: positive"},
    {"pow.Scalar float_power.Scalar", "self exponent", "exponent: uniform"},
    {"pow float_power", "self exponent", "self: positive"},
    {"div.Tensor_mode divide.Tensor_mode fmod remainder floor_divide",
     "self other", "other: int(1, 5)"},
    {"div divide true_divide", "self other", "other: offset(4)"},
    {"addcdiv", "self tensor1 tensor2", "tensor2: offset(4)"},
    {"lu_unpack", "LU_data LU_pivots",
     "LU_pivots: int(1, max(dim(LU_data, -2), 1))"},
    {"linalg_lu_solve", "LU pivots", "pivots: int(1, max(dim(LU, -2), 1))"},
    {"lu_solve", "self LU_data LU_pivots",
     "LU_pivots: int(1, max(dim(LU_data, -2), 1))"},
    {"linalg_ldl_solve", "LD pivots", "pivots: ?"},
    {"cholesky linalg_cholesky", "self", "self: ?"},
    {"_assert_async", "self", "self: constant(1)"},
};
/* clang-format on */

/* --- the row of an operator --- */

/* A word of a text of words. */
static bool has_word(const char *words, const char *word, size_t n)
{
    while (*words) {
        size_t length = strcspn(words, " ");

        if (length == n && memcmp(words, word, n) == 0)
            return true;
        words += length;
        words += strspn(words, " ");
    }
    return false;
}

/* By `name` [n] before its overload, with it or without. */
static const struct osw_torch_fills *find(const char *name, size_t n,
                                          const char *overload)
{
    char full[128];

    if (n + strlen(overload) >= sizeof(full))
        return NULL;
    memcpy(full, name, n);
    strcpy(full + n, overload);
    for (size_t i = 0; i < N_ELEM(rows); i++)
        if (has_word(rows[i].operators, full, strlen(full)) ||
            has_word(rows[i].operators, name, n))
            return &rows[i];
    return NULL;
}

const struct osw_torch_fills *osw_torch_fills_find(const char *name)
{
    const struct osw_torch_fills *row;
    size_t n;

    if (strncmp(name, "aten.", 5) != 0)
        return NULL;
    name += 5;
    n = strcspn(name, ".");
    row = find(name, n, name + n);
    if (!row && n > 1 && name[n - 1] == '_')
        row = find(name, n - 1, name + n);
    return row;
}

const char *osw_torch_fills_at(size_t i, const char **operators,
                               const char **args)
{
    if (i >= N_ELEM(rows))
        return NULL;
    *operators = rows[i].operators;
    *args = rows[i].args;
    return rows[i].fills;
}

/* --- its fills for a call --- */

/* What is between two separators. */
struct piece {
    const char *text;
    size_t n;
};

static struct piece trimmed(const char *text, size_t n)
{
    while (n > 0 && *text == ' ') {
        text++;
        n--;
    }
    while (n > 0 && text[n - 1] == ' ')
        n--;
    return (struct piece){text, n};
}

/* The fill of an argument in "ARGUMENT: FILL; ..."; n 0: none. */
static struct piece fill_of(const char *fills, const char *arg)
{
    while (*fills) {
        size_t n = strcspn(fills, ";"), colon = strcspn(fills, ":");
        struct piece name = trimmed(fills, colon);

        if (name.n == strlen(arg) && memcmp(name.text, arg, name.n) == 0)
            return trimmed(fills + colon + 1, n - colon - 1);
        fills += n + (fills[n] == ';');
    }
    return (struct piece){"", 0};
}

int osw_torch_fills_rule(osw_arena_t *arena, const struct osw_torch_fills *row,
                         const char *arg, const char **text,
                         struct osw_error *err)
{
    struct piece fill = fill_of(row->fills, arg), first;
    const char *bar = fill.n ? memchr(fill.text, '|', fill.n) : NULL;

    *text = NULL;
    first = trimmed(fill.text, bar ? (size_t)(bar - fill.text) : fill.n);
    if (first.n == 0 || *first.text == '?' ||
        memmem(first.text, first.n, "item", 4))
        return 0;
    *text = osw_arena_strndup(arena, first.text, first.n);
    return *text ? 0
                 : osw_fail(err, OSW_NO_MEMORY, "no memory for fill '%s'", arg);
}

/* The arguments by the names that expressions use, and `item` after them. */
static struct osw_bound_arg *named_args(osw_arena_t *arena,
                                        const struct osw_torch_fills *row,
                                        const struct osw_torch_call *call,
                                        const struct osw_value *item)
{
    size_t n = call->n_args;
    struct osw_bound_arg *named = osw_arena_array(arena, n + 1, sizeof(*named));
    const char *at = row->args;

    if (!named)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t length = strcspn(at, " ");

        named[i] = call->args[i];
        if (call->unnamed && named[i].given == OSW_GIVEN_POSITION && length > 0)
            named[i].name = osw_arena_strndup(arena, at, length);
        if (!named[i].name)
            return NULL;
        at += length;
        at += strspn(at, " ");
    }
    named[n] = (struct osw_bound_arg){.name = "item", .value = item};
    return named;
}

/* The dimension that tensor number k of a list of indices stands for: a mask
 * takes as many as it has.
 */
static int64_t dimension_of(const struct osw_value *list, size_t k)
{
    int64_t dimension = 0;

    if (list->kind != OSW_VALUE_LIST && list->kind != OSW_VALUE_TUPLE)
        return 0;
    for (uint32_t i = 0; i < list->n; i++) {
        const struct osw_value *v = &list->u.items[i];
        bool tensor = v->kind == OSW_VALUE_TENSOR;

        if (tensor && k-- == 0)
            break;
        dimension +=
            tensor && v->u.tensor->dtype == OSW_B8 ? v->u.tensor->ndim : 1;
    }
    return dimension;
}

/* Does a dtype hold such values?  Masks are masks, and an index is whole. */
static bool suits(const struct osw_fill *fill, enum osw_dtype_id dtype)
{
    enum osw_dtype_class class = osw_dtype_info((int)dtype)->class;

    switch ((int)fill->kind) {
    case OSW_FILL_INDEX:
    case OSW_FILL_DISTINCT:
    case OSW_FILL_SHARES:
        return class == OSW_CLASS_INT;
    default:
        return class != OSW_CLASS_BOOL;
    }
}

/* The first alternative that the call has values for. */
static int choose(struct piece fill, const struct osw_bound_arg *args, size_t n,
                  const struct osw_tensor_desc *desc, const char *name,
                  struct osw_fill *out, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_fill found;

    while (fill.n > 0 && *fill.text != '?') {
        const char *bar = memchr(fill.text, '|', fill.n);
        size_t length = bar ? (size_t)(bar - fill.text) : fill.n;
        struct piece one = trimmed(fill.text, length);

        why = (struct osw_error)OSW_ERROR_INIT;
        if (osw_fill_parse(one.text, one.n, args, n, &found, &why) == 0 &&
            osw_fill_fits(&found, desc, &why) == 0) {
            if (suits(&found, desc->dtype))
                *out = found;
            return 0;
        }
        if (!bar)
            break;
        fill = trimmed(bar + 1, fill.n - length - 1);
    }
    return osw_fail(err, OSW_BAD_INPUT,
                    "no valid input is known for argument '%s'%s%s", name,
                    *why.text ? ": " : "", why.text);
}

static bool has_own(const struct osw_torch_call *call, const char *arg)
{
    for (size_t i = 0; i < call->n_own; i++)
        if (strcmp(call->own[i].arg, arg) == 0)
            return true;
    return false;
}

int osw_torch_fills_resolve(osw_arena_t *arena,
                            const struct osw_torch_fills *row,
                            const struct osw_torch_call *call,
                            const struct osw_fill **out, size_t *n_out,
                            struct osw_error *err)
{
    struct osw_value item = {.kind = OSW_VALUE_INT};
    struct osw_bound_arg *named = named_args(arena, row, call, &item);
    struct osw_bound_tensor *tensors;
    const struct osw_fill *by_own;
    struct osw_fill *fills;
    size_t n, of_arg = 0;

    if (osw_fill_resolve(arena, call->args, call->n_args, call->own,
                         call->n_own, &by_own, &n, err) < 0 ||
        osw_bind_tensors(arena, call->args, call->n_args, &tensors, &n, err) <
            0)
        return -1;
    fills = osw_arena_array(arena, n, sizeof(*fills));
    if (!named || !fills)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %zu fills", n);
    for (size_t i = 0; i < n; i++) {
        const struct osw_bound_arg *arg = &named[tensors[i].arg];
        struct piece fill = fill_of(row->fills, arg->name);

        of_arg = i > 0 && tensors[i - 1].arg == tensors[i].arg ? of_arg + 1 : 0;
        fills[i] = by_own[i];
        if (fill.n == 0 || has_own(call, call->args[tensors[i].arg].name))
            continue;
        item.u.i = dimension_of(arg->value, of_arg);
        if (choose(fill, named, call->n_args + 1, tensors[i].desc, arg->name,
                   &fills[i], err) < 0)
            return -1;
    }
    *out = fills;
    *n_out = n;
    return 0;
}
