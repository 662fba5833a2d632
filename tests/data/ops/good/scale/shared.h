/* shared.h - a header beside the ops */
