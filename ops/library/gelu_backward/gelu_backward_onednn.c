/* gelu_backward - of erf or its approximation by tanh, by oneDNN */
#include "../shared/elementwise_onednn.h"
#include "../shared/gelu.h"

int gelu_backward_kernel_impl(const osw_call *call)
{
    const osw_arg *how = osw_arg_at(call, 2);
    int tanh = how->tag == OSW_ARG_STRING && strcmp(how->u.s, "tanh") == 0;

    return osw_onednn_derivative(
        call, tanh ? dnnl_eltwise_gelu_tanh : dnnl_eltwise_gelu_erf, 0.0f,
        DNNL_ARG_SRC);
}
