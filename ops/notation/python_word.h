/* ops/notation/python_word.h - the words of Python's language */
#ifndef OSW_OPS_PYTHON_WORD_H
#define OSW_OPS_PYTHON_WORD_H

#include <stdbool.h>

/* Can nothing be named so, neither a variable nor a package? */
bool osw_python_word_is_taken(const char *word);

#endif /* OSW_OPS_PYTHON_WORD_H */
