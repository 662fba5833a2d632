"""forge_bytes.py IN.h5 FIRST LAST FOLDER - bytes changed, and the checksum made right

As an attacker would do, so that libhdf5 itself reads what was changed.
FOLDER/SEED.h5 for each seed has changes mostly in what libhdf5 steers by (its
heaps, trees, headers); in FOLDER/huge.h5 all texts claim to be a terabyte long,
which libhdf5 1.10 copies until it crashes.
"""
import random
import struct
import sys

# Objects without a checksum of their own count more.
SIGNATURES = (b"GCOL", b"GCOL", b"GCOL", b"TREE", b"TREE", b"OHDR", b"OCHK", b"BTHD", b"BTLF", b"FRHP")


def make_table():
    for i in range(256):
        for _ in range(8):
            i = (i >> 1) ^ (0x82F63B78 if i & 1 else 0)
        yield i


TABLE = list(make_table())


def crc32c(data):
    crc = 0xFFFFFFFF
    for b in data:
        crc = TABLE[(crc ^ b) & 255] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def footer(data):
    head = b"OSWFOOT1" + struct.pack("<QI", len(data), crc32c(data))
    return head + struct.pack("<I", crc32c(head))


def places(data, signature):
    at = data.find(signature)
    while at >= 0:
        yield at
        at = data.find(signature, at + 1)


def forge(data, draw):
    for _ in range(draw.choice([1, 1, 4, 16, 64])):
        at = draw.randrange(len(data))
        if draw.random() < .9:
            at = draw.choice(NEAR[draw.choice(SIGNATURES)] or [at]) + draw.randrange(4, 512)
        n = draw.choice([1, 1, 2, 4, 8])
        value = draw.choice([0, 1, 2**(8 * n) - 1, 2**(8 * n - 1), 2**(8 * n - 1) - 1, draw.randrange(2**(8 * n))])
        if at + n <= len(data):
            data[at:at + n] = value.to_bytes(n, "little")
    return data[:draw.randrange(96, len(data))] if draw.random() < .1 else data


def lengthen(data):
    """Each text of the global heaps: index, references, length, bytes."""
    for heap in NEAR[b"GCOL"]:
        end = heap + struct.unpack_from("<Q", data, heap + 8)[0]
        at = heap + 16
        while at + 16 <= end and struct.unpack_from("<H", data, at)[0]:
            n = struct.unpack_from("<Q", data, at + 8)[0]
            struct.pack_into("<Q", data, at + 8, 1 << 40)
            at += 16 + (n + 7) // 8 * 8
    return data


src, first, last, folder = sys.argv[1:]
whole = open(src, "rb").read()
body = whole[:-24]
assert whole[-24:] == footer(body), "the footer is not as expected"
NEAR = {s: list(places(body, s)) for s in SIGNATURES}
assert NEAR[b"GCOL"], "no texts"
forged = {"huge": lengthen(bytearray(body))}
for seed in range(int(first), int(last) + 1):
    forged[seed] = forge(bytearray(body), random.Random(seed))
for name, data in forged.items():
    with open(f"{folder}/{name}.h5", "wb") as f:
        f.write(data + footer(data))
