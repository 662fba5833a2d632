/* life_pass__other_habits.cu - the same on a GPU */
#include "life_pass__other_habits.c"
