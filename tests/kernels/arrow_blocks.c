/* Decode Arrow texts that are longer than one block. Print how many were decoded wrongly, how many errors were not found,
 * how many decodings did not stop when they were asked to, and how often one of 63 MiB asked whether to stop. */
#include "pair.h"
#include "arrow.h"

#include <stdio.h>

static int polls, stop;

static int poll_(void *job)
{
    (void)job;
    polls++;
    return stop;
}

/* Repeat a code point, given as UTF-8, after some bytes of ASCII. */
static Slice repeated(const char *utf8, int64_t before, int64_t size)
{
    int64_t width = (int64_t)strlen(utf8);
    uint8_t *data = malloc((size_t)size);
    if (!data) exit(2);
    memset(data, 'a', (size_t)size);
    for (int64_t at = before; at + width <= size; at += width) memcpy(data + at, utf8, (size_t)width);
    return (Slice){data, size};
}

static uint32_t symbol(const Text *text, int64_t i)
{
    return text->width == 2 ? ((const uint16_t *)text->data)[i] : ((const uint32_t *)text->data)[i];
}

int main(void)
{
    static const char *const encoded[] = {"\xC3\xA9", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80"};
    static const uint32_t codes[] = {0xE9, 0x4E2D, 0x1F600};
    const int64_t block = (int64_t)1 << 24;
    Workspace space = {.interrupted = poll_};
    Text text;
    int wrong = 0, not_found = 0, not_interrupted = 0;
    for (int kind = 0; kind < 3; kind++)
        for (int64_t before = 0; before < 4; before++)
            for (int level = 0; level <= best_level(); level++) {
                int64_t width = (int64_t)strlen(encoded[kind]), number = block / width + 40, size = before + number * width;
                Slice slice = repeated(encoded[kind], before, size);
                stop = 0;
                int status = read_slice(&space, &slice, &space.hyp_decoded, &text, level);
                int same = !status && text.length == before + number;
                for (int64_t i = 0; same && i < text.length; i++) same = symbol(&text, i) == (i < before ? 'a' : codes[kind]);
                wrong += !same;
                ((uint8_t *)slice.data)[size - 1] = 0xC3;
                not_found += read_slice(&space, &slice, &space.hyp_decoded, &text, level) != BAD_TEXT;
                ((uint8_t *)slice.data)[size - 1] = encoded[kind][width - 1];
                ((uint8_t *)slice.data)[before + (block - before) / width * width] = 0xBF;    /* around the end of a block */
                not_found += read_slice(&space, &slice, &space.hyp_decoded, &text, level) != BAD_TEXT;
                ((uint8_t *)slice.data)[before + (block - before) / width * width] = (uint8_t)encoded[kind][0];
                stop = 1;
                not_interrupted += read_slice(&space, &slice, &space.hyp_decoded, &text, level) != INTERRUPTED;
                free((void *)slice.data);
            }
    Slice slice = repeated(encoded[0], 0, 4 * block - ((int64_t)1 << 20));
    stop = polls = 0;
    wrong += read_slice(&space, &slice, &space.hyp_decoded, &text, 0) != 0;
    free((void *)slice.data);
    release(&space);
    printf("%d %d %d %d\n", wrong, not_found, not_interrupted, polls);
    return 0;
}
