/* common/version.h - the version of the program and its files */
#ifndef OSW_COMMON_VERSION_H
#define OSW_COMMON_VERSION_H

#define OSW_VERSION "0.1.0"

#endif /* OSW_COMMON_VERSION_H */
