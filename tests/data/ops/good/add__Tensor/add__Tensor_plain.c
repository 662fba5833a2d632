/* add__Tensor_plain.c - a sum */
