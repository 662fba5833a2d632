/* life_guard__kept_workspace.cu - the same on a GPU, where old memory stays */
#include "life_crash__kept_workspace.c"
