/* worker/hash.h - a 64-bit hash of bytes, to see that they changed
 *
 * Upstream: the sandbox hashes its outputs right after the op, the judge
 * hashes them again; hashes of two runs of one implementation are compared.
 *
 * A sum, modulo 2^64, over 8-byte words of a bijection of (word ^ position):
 * one changed word always changes it, and parts can be hashed in any order,
 * by any number of threads.  Not cryptographic: code that knows the seed can
 * choose bytes with the same hash.
 */
#ifndef OSW_WORKER_HASH_H
#define OSW_WORKER_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hash of data[0..n).  Other seeds give other functions. */
uint64_t osw_hash_bytes(const void *data, size_t n, uint64_t seed);

/* Copy data[0..n) to `to`, elsewhere, and hash what was copied: each byte is
 * read once, so that the hash is of the copy whatever else writes `data`.
 */
uint64_t osw_hash_copy(void *to, const void *data, size_t n, uint64_t seed);

#endif /* OSW_WORKER_HASH_H */
