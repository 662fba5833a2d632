/* add__Tensor_reference.c - a sum */
