/* Texts in Arrow buffers, by the Arrow C data interface: read where they lie, decoded from UTF-8 one at a time. */
#ifndef CHRFECT_ARROW_H
#define CHRFECT_ARROW_H

#include "text.h"

/* The three structures of https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html. */
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

typedef struct {
    const uint8_t *data;    /* NULL for a null */
    int64_t size;
} Slice;

enum { NO_TEXT, STRING, LARGE_STRING, STRING_VIEW };

static int text_format(const char *format)
{
    if (!strcmp(format, "u")) return STRING;
    if (!strcmp(format, "U")) return LARGE_STRING;
    return strcmp(format, "vu") ? NO_TEXT : STRING_VIEW;
}

/* Where each text of an array lies; returns how many are null, or -1 where offsets go backwards or leave a buffer. */
static int64_t slice_array(const struct ArrowArray *array, int format, Slice *slices)
{
    static const uint8_t empty[1] = {0};
    if (array->length == 0) return 0;
    if (array->length < 0 || array->offset < 0 || array->n_buffers < 3) return -1;
    const uint8_t *valid = array->buffers[0];
    int64_t nulls = 0;
    for (int64_t k = 0; k < array->length; k++) {
        int64_t i = array->offset + k;
        if (valid && !(valid[i >> 3] >> (i & 7) & 1)) {
            slices[k] = (Slice){NULL, 0};
            nulls++;
            continue;
        }
        const uint8_t *data;
        int64_t size;
        if (format == STRING_VIEW) {
            const uint8_t *view = (const uint8_t *)array->buffers[1] + 16 * i;
            int32_t words[4];
            memcpy(words, view, sizeof words);
            size = words[0];
            data = view + 4;
            if (size > 12) {
                int64_t buffers = array->n_buffers - 3;
                if (words[2] < 0 || words[2] >= buffers || words[3] < 0) return -1;
                if (words[3] + size > ((const int64_t *)array->buffers[2 + buffers])[words[2]]) return -1;
                data = (const uint8_t *)array->buffers[2 + words[2]] + words[3];
            }
        } else {
            int64_t from = format == STRING ? ((const int32_t *)array->buffers[1])[i] : ((const int64_t *)array->buffers[1])[i];
            int64_t to = format == STRING ? ((const int32_t *)array->buffers[1])[i + 1] : ((const int64_t *)array->buffers[1])[i + 1];
            if (from < 0) return -1;
            size = to - from;
            data = (const uint8_t *)array->buffers[2] + from;
        }
        if (size < 0) return -1;
        slices[k] = (Slice){size ? data : empty, size};
    }
    return nulls;
}

static int is_ascii(const uint8_t *data, int64_t size)
{
    uint64_t high = 0, part;
    int64_t i = 0;
    for (; i + 8 <= size; i += 8) {
        memcpy(&part, data + i, 8);
        high |= part;
    }
    for (; i < size; i++) high |= data[i];
    return !(high & 0x8080808080808080u);
}

/* The code points of UTF-8, or -1 where it is none (too long, too short, a surrogate, beyond U+10FFFF). */
static int64_t decode(const uint8_t *data, int64_t size, uint32_t *out)
{
    int64_t n = 0;
    for (int64_t i = 0; i < size;) {
        uint32_t c = data[i++];
        if (c < 0x80) { out[n++] = c; continue; }
        int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
        uint32_t least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
        if (c < 0xC0 || c > 0xF7 || size - i < more) return -1;
        c &= 0x3Fu >> more;
        for (int k = 0; k < more; k++) {
            if ((data[i] & 0xC0) != 0x80) return -1;
            c = c << 6 | (data[i++] & 0x3F);
        }
        if (c < least || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return -1;
        out[n++] = c;
    }
    return n;
}

static int read_slice(const Slice *slice, Buffer *buffer, Text *text)
{
    *text = (Text){slice->data, slice->size, 1, 1};
    if (is_ascii(slice->data, slice->size)) return 0;
    uint32_t *out = reserve(buffer, (size_t)slice->size * sizeof *out);
    if (!out) return NO_MEMORY;
    *text = (Text){out, decode(slice->data, slice->size, out), 4, 0};
    return text->length < 0 ? BAD_TEXT : 0;
}

#endif
