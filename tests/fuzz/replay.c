/* tests/fuzz/replay.c - main() for a fuzz target without libFuzzer
 *
 * Calls it once per file named on the command line; works with any compiler.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t used = 0, size = 1 << 20;
    uint8_t *data = f ? malloc(size) : NULL;
    uint8_t *exact = NULL;

    if (data)
        used = fread(data, 1, size, f);
    if (f)
        fclose(f);
    /* Of exact size, so that ASan sees the first byte read past it. */
    if (data)
        exact = malloc(used ? used : 1);
    if (!exact) {
        fprintf(stderr, "cannot read '%s'\n", path);
        free(data);
        return -1;
    }
    for (size_t i = 0; i < used; i++)
        exact[i] = data[i];
    free(data);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(exact, used);
    free(exact);
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (replay(argv[i]) < 0)
            return 1;
    return argc < 2;
}
