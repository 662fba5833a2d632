/* add___Tensor_plain.c - a sum in place */
