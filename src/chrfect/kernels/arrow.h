/* Texts in Arrow buffers (Arrow C data interface). They are not copied; each is decoded from UTF-8 when it is read. */
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

enum { NO_TEXT, NULLS, STRING, LARGE_STRING, STRING_VIEW };
enum { NO_LIST, LIST, LARGE_LIST, LIST_VIEW, LARGE_LIST_VIEW, FIXED_LIST };
enum { BAD_OFFSETS = 1, BAD_INDEX };

/* Where an array has its texts: in lists or not, in a dictionary or not. */
typedef struct {
    int list, text;
    char index;             /* the format of the indices of a dictionary, or 0 */
    int64_t width;          /* of FIXED_LIST */
} Layout;

static int text_format(const char *format)
{
    static const char *const formats[] = {"", "n", "u", "U", "vu"};
    for (int text = NULLS; format && text <= STRING_VIEW; text++)
        if (!strcmp(format, formats[text])) return text;
    return NO_TEXT;
}

static int list_format(const char *format, int64_t *width)
{
    static const char *const formats[] = {"", "+l", "+L", "+vl", "+vL"};
    for (int list = LIST; format && list <= LARGE_LIST_VIEW; list++)
        if (!strcmp(format, formats[list])) return list;
    char *end;
    if (!format || strncmp(format, "+w:", 3) || format[3] < '0' || format[3] > '9') return NO_LIST;
    *width = strtoll(format + 3, &end, 10);
    return *end ? NO_LIST : FIXED_LIST;
}

static char index_format(const char *format)
{
    return format && *format && !format[1] && strchr("cCsSiIlL", *format) ? *format : 0;
}

/* Return whether an array has a plausible length, a number of buffers, and those from the second to `last`. */
static int has_buffers(const struct ArrowArray *array, int number, int last)
{
    if (array->length < 0 || array->offset < 0 || array->length > INT64_MAX / 64 - array->offset) return 0;
    if (array->length == 0) return 1;
    if (number && (array->n_buffers < number || !array->buffers)) return 0;
    for (int i = 1; i <= last; i++)
        if (!array->buffers[i]) return 0;
    return 1;
}

/* Return whether an array has all that its layout needs. The sizes of buffers are unknown. */
static int has_layout(const struct ArrowArray *array, const Layout *layout)
{
    if (layout->list) {
        int last = layout->list == FIXED_LIST ? 0 : layout->list >= LIST_VIEW ? 2 : 1;
        if (!has_buffers(array, last + 1, last) || array->n_children != 1 || !array->children) return 0;
        array = array->children[0];
        if (!array) return 0;
    }
    if (layout->index) {
        if (!has_buffers(array, 2, 1)) return 0;
        array = array->dictionary;
        if (!array) return 0;
    }
    return layout->text == NULLS ? has_buffers(array, 0, 0) : has_buffers(array, 3, 1);
}

static int is_null(const struct ArrowArray *array, int64_t i)
{
    const uint8_t *valid = array->buffers[0];
    i += array->offset;
    return valid && !(valid[i >> 3] >> (i & 7) & 1);
}

/* Return an integer of a buffer, which need not be aligned. */
static int64_t integer_at(const void *buffer, char format, int64_t i)
{
    switch (format) {
#define FORMAT(code, type) \
    case code: { type v; memcpy(&v, (const uint8_t *)buffer + i * (int64_t)sizeof v, sizeof v); return (int64_t)v; }
    FORMAT('c', int8_t)
    FORMAT('C', uint8_t)
    FORMAT('s', int16_t)
    FORMAT('S', uint16_t)
    FORMAT('i', int32_t)
    FORMAT('I', uint32_t)
    FORMAT('l', int64_t)
    FORMAT('L', uint64_t)
#undef FORMAT
    }
    return -1;
}

/* Find the elements of a list, from *first until *last. */
static int list_bounds(const struct ArrowArray *array, const Layout *layout, int64_t row, int64_t *first, int64_t *last)
{
    int64_t length = array->children[0]->length, i = array->offset + row;
    char width = layout->list == LARGE_LIST || layout->list == LARGE_LIST_VIEW ? 'l' : 'i';
    *first = *last = 0;
    if (is_null(array, row)) return 0;
    if (layout->list == FIXED_LIST) {
        if (layout->width && i >= length / layout->width) return BAD_OFFSETS;
        *first = i * layout->width;
        *last = *first + layout->width;
        return 0;
    }
    *first = integer_at(array->buffers[1], width, i);
    *last = integer_at(array->buffers[layout->list >= LIST_VIEW ? 2 : 1], width, layout->list >= LIST_VIEW ? i : i + 1);
    if (*first < 0 || *first > length || *last < 0) return BAD_OFFSETS;
    if (layout->list >= LIST_VIEW) {        /* it was the size */
        if (*last > length - *first) return BAD_OFFSETS;
        *last += *first;
    }
    return *last < *first || *last > length ? BAD_OFFSETS : 0;
}

/* Write after starts[0] where the texts of each list begin among all texts. On errors, *row is the row. */
static int start_lists(const struct ArrowArray *array, const Layout *layout, int64_t *starts, int64_t *row)
{
    for (*row = 0; *row < array->length; ++*row) {
        int64_t first, last;
        if (list_bounds(array, layout, *row, &first, &last)) return BAD_OFFSETS;
        if (last - first > INT64_MAX / 64 - starts[*row]) return BAD_OFFSETS;
        starts[*row + 1] = starts[*row] + last - first;
    }
    return 0;
}

static int slice_text(const struct ArrowArray *array, const Layout *layout, int64_t i, Slice *slice)
{
    static const uint8_t empty[1] = {0};
    *slice = (Slice){NULL, 0};
    if (layout->index) {
        if (is_null(array, i)) return 0;
        i = integer_at(array->buffers[1], layout->index, array->offset + i);
        array = array->dictionary;
        if (i < 0 || i >= array->length) return BAD_INDEX;
    }
    if (layout->text == NULLS || is_null(array, i)) return 0;
    i += array->offset;
    const uint8_t *data = array->buffers[2];
    int64_t from, size;
    if (layout->text == STRING_VIEW) {
        const uint8_t *view = (const uint8_t *)array->buffers[1] + 16 * i;
        int32_t words[4];
        memcpy(words, view, sizeof words);
        size = words[0];
        data = view;
        from = 4;
        if (size > 12) {
            int64_t buffers = array->n_buffers - 3;
            from = words[3];
            if (words[2] < 0 || words[2] >= buffers || from < 0 || !array->buffers[2 + buffers]) return BAD_OFFSETS;
            if (from + size > integer_at(array->buffers[2 + buffers], 'l', words[2])) return BAD_OFFSETS;
            data = array->buffers[2 + words[2]];
        }
    } else {
        char width = layout->text == STRING ? 'i' : 'l';
        int64_t to = integer_at(array->buffers[1], width, i + 1);
        from = integer_at(array->buffers[1], width, i);
        if (from < 0 || to < from) return BAD_OFFSETS;
        size = to - from;
    }
    if (size < 0 || (size && !data)) return BAD_OFFSETS;
    *slice = (Slice){size ? data + from : empty, size};
    return 0;
}

/* Locate the texts of all rows, for which there is just enough room, and count the nulls. On errors, *row is the row. */
static int slice_rows(const struct ArrowArray *array, const Layout *layout, Slice *slices, int64_t room, int64_t *nulls,
                      int64_t *row)
{
    const struct ArrowArray *texts = layout->list ? array->children[0] : array;
    *nulls = 0;
    for (*row = 0; *row < array->length; ++*row) {
        int64_t first = *row, last = *row + 1;
        if (layout->list && list_bounds(array, layout, *row, &first, &last)) return BAD_OFFSETS;
        room -= last - first;
        if (room < 0) return BAD_OFFSETS;       /* somebody changed the array meanwhile */
        for (; first < last; first++, slices++) {
            int status = slice_text(texts, layout, first, slices);
            if (status) return status;
            *nulls += !slices->data;
        }
    }
    return 0;
}

static int is_ascii(const uint8_t *data, int64_t size)
{
    uint64_t high = 0, part;
    int64_t i = 0;
    if (size && data[0] & 0x80) return 0;
    for (; i + 8 <= size; i += 8) {
        memcpy(&part, data + i, 8);
        high |= part;
    }
    for (; i < size; i++) high |= data[i];
    return !(high & 0x8080808080808080u);
}

#if defined(__x86_64__) && defined(__GNUC__)
/* Decode eight three-byte code points into two bytes each; return whether all have three bytes. Reads 28 bytes. */
AVX2 static inline int decode_eight(const uint8_t *data, uint16_t *out)
{
    const __m256i order = _mm256_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1,
                                           2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
    __m256i v = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)data)),
                                        _mm_loadu_si128((const __m128i *)(data + 12)), 1);
    v = _mm256_shuffle_epi8(v, order);
    __m256i c = _mm256_or_si256(_mm256_and_si256(v, _mm256_set1_epi32(0x3F)),
                                _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi32(v, 2), _mm256_set1_epi32(0xFC0)),
                                                _mm256_and_si256(_mm256_srli_epi32(v, 4), _mm256_set1_epi32(0xF000))));
    __m256i formed = _mm256_cmpeq_epi32(_mm256_and_si256(v, _mm256_set1_epi32(0xF0C0C0)), _mm256_set1_epi32(0xE08080));
    __m256i range = _mm256_and_si256(c, _mm256_set1_epi32(0xF800));
    __m256i wrong = _mm256_or_si256(_mm256_cmpeq_epi32(range, _mm256_setzero_si256()),
                                    _mm256_cmpeq_epi32(range, _mm256_set1_epi32(0xD800)));
    if (_mm256_movemask_epi8(_mm256_andnot_si256(wrong, formed)) != -1) return 0;
    __m256i packed_ = _mm256_permute4x64_epi64(_mm256_packus_epi32(c, c), 0x08);
    _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(packed_));
    return 1;
}
#else
#define decode_eight(data, out) 0
#endif

#define BEYOND (-2)     /* there are code points beyond U+FFFF */
#define STOPPED (-3)

/* Decode UTF-8 into code points of two or four bytes each. Return -1 if it is invalid (overlong, truncated, a surrogate,
 * beyond U+10FFFF), or BEYOND if two bytes are not enough. Runs of three-byte code points (CJK) have a fast path. */
ALWAYS_INLINE int64_t decode(const uint8_t *data, int64_t size, void *out, const int width, const int eight)
{
    int64_t n = 0, i = 0;
#define PUT(c) do { if (width == 2) ((uint16_t *)out)[n++] = (uint16_t)(c); else ((uint32_t *)out)[n++] = (c); } while (0)
    while (i < size) {
        uint32_t c = data[i];
        if (c < 0x80) { PUT(c); i++; continue; }
        if (c - 0xE0 < 16) {
            if (eight && width == 2 && size - i >= 28 && decode_eight(data + i, (uint16_t *)out + n)) {
                n += 8;
                i += 24;
                continue;
            }
            if (size - i < 3) return -1;
            uint32_t b = data[i + 1], d = data[i + 2];
            c = (c & 15) << 12 | (b & 63) << 6 | (d & 63);
            if (((b & 0xC0) ^ 0x80) | ((d & 0xC0) ^ 0x80) | (c < 0x800) | (c - 0xD800 < 0x800)) return -1;
            PUT(c);
            i += 3;
            continue;
        }
        if (c - 0xC2 < 30) {
            if (size - i < 2 || (data[i + 1] & 0xC0) != 0x80) return -1;
            PUT((c & 31) << 6 | (data[i + 1] & 63));
            i += 2;
            continue;
        }
        if (width == 2 && c >= 0xF0) return BEYOND;
        if (c - 0xF0 >= 5 || size - i < 4) return -1;
        c &= 7;
        for (int k = 1; k < 4; k++) {
            if ((data[i + k] & 0xC0) != 0x80) return -1;
            c = c << 6 | (data[i + k] & 63);
        }
        if (c < 0x10000 || c > 0x10FFFF) return -1;
        PUT(c);
        i += 4;
    }
#undef PUT
    return n;
}

static int64_t decode_portable(const uint8_t *data, int64_t size, void *out, int width)
{
    return width == 2 ? decode(data, size, out, 2, 0) : decode(data, size, out, 4, 0);
}

#if defined(__x86_64__) && defined(__GNUC__)
AVX2 static int64_t decode_avx2(const uint8_t *data, int64_t size, void *out) { return decode(data, size, out, 2, 1); }
#endif

static int64_t decode_block(const uint8_t *data, int64_t size, void *out, int width, int level)
{
    (void)level;
#if defined(__x86_64__) && defined(__GNUC__)
    if (width == 2 && level != PORTABLE_LEVEL) return decode_avx2(data, size, out);
#endif
    return decode_portable(data, size, out, width);
}

#define DECODED_AT_ONCE ((int64_t)1 << 24)      /* bytes between two checks for signals */

/* Decode a text in blocks, each of which ends between two code points. */
static int64_t decode_blocks(const Workspace *ws, const Slice *slice, void *out, int width, int level)
{
    int64_t number = 0, end = 0;
    for (int64_t at = 0; at < slice->size; at = end) {
        if (at && should_stop(ws)) return STOPPED;
        end = slice->size - at > DECODED_AT_ONCE ? at + DECODED_AT_ONCE : slice->size;
        for (int k = 0; k < 3 && end < slice->size && (slice->data[end] & 0xC0) == 0x80; k++) end--;
        int64_t decoded = decode_block(slice->data + at, end - at, (uint8_t *)out + number * width, width, level);
        if (decoded < 0) return decoded;
        number += decoded;
    }
    return number;
}

static int read_slice(const Workspace *ws, const Slice *slice, Buffer *buffer, Text *text, int level)
{
    *text = (Text){slice->data, slice->size, 1, 1};
    if (is_ascii(slice->data, slice->size)) return 0;
    int width = 2;
    void *out = reserve(buffer, (size_t)slice->size * 2);
    if (!out) return NO_MEMORY;
    int64_t length = decode_blocks(ws, slice, out, 2, level);
    if (length == BEYOND) {
        width = 4;
        out = reserve(buffer, (size_t)slice->size * 4);
        if (!out) return NO_MEMORY;
        length = decode_blocks(ws, slice, out, 4, level);
    }
    *text = (Text){out, length, width, 0};
    return length == STOPPED ? INTERRUPTED : length < 0 ? BAD_TEXT : 0;
}

#endif
