/* opsweep/executorch_dtype.h - dtypes of ExecuTorch, as calls have them
 *
 * After executorch::aten::ScalarType: ExecuTorch's own, or that of
 * executorch_types.h.
 */
#ifndef OPSWEEP_EXECUTORCH_DTYPE_H
#define OPSWEEP_EXECUTORCH_DTYPE_H

#include <opsweep/op.h>

/* 0 bits: a dtype that kernels do not know. */
inline osw_dtype osw_dtype_of(executorch::aten::ScalarType type)
{
    using executorch::aten::ScalarType;

    switch (type) {
    case ScalarType::Byte:
        return {OSW_UINT, 8, 1};
    case ScalarType::Char:
        return {OSW_INT, 8, 1};
    case ScalarType::Short:
        return {OSW_INT, 16, 1};
    case ScalarType::Int:
        return {OSW_INT, 32, 1};
    case ScalarType::Long:
        return {OSW_INT, 64, 1};
    case ScalarType::Half:
        return {OSW_FLOAT, 16, 1};
    case ScalarType::Float:
        return {OSW_FLOAT, 32, 1};
    case ScalarType::Double:
        return {OSW_FLOAT, 64, 1};
    case ScalarType::BFloat16:
        return {OSW_BFLOAT, 16, 1};
    case ScalarType::Bool:
        return {OSW_BOOL, 8, 1};
    default:
        return {0, 0, 1};
    }
}

#endif /* OPSWEEP_EXECUTORCH_DTYPE_H */
