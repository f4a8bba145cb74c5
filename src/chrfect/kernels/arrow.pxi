# Texts in Arrow arrays.

cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.array cimport resize_smart
from libc.stdlib cimport free, malloc, realloc

from bisect import bisect_right

cdef extern from "arrow.h" nogil:
    struct ArrowSchema:
        const char *format
        int64_t n_children
        ArrowSchema **children
        ArrowSchema *dictionary
        void (*release)(ArrowSchema *)
    struct ArrowArray:
        int64_t length
        void (*release)(ArrowArray *)
    struct ArrowArrayStream:
        int (*get_schema)(ArrowArrayStream *, ArrowSchema *)
        int (*get_next)(ArrowArrayStream *, ArrowArray *)
        const char *(*get_last_error)(ArrowArrayStream *)
        void (*release)(ArrowArrayStream *)
    ctypedef struct Slice:
        const unsigned char *data
        int64_t size
    ctypedef struct Layout:
        int list, text
        char index
        int64_t width
    int NO_TEXT, BAD_INDEX
    int list_format(const char *format, int64_t *width)
    char index_format(const char *format)
    int text_format(const char *format)
    bint has_layout(const ArrowArray *array, const Layout *layout)
    int start_lists(const ArrowArray *array, const Layout *layout, int64_t *starts, int64_t *row)
    int slice_rows(const ArrowArray *array, const Layout *layout, Slice *slices, int64_t room, int64_t *nulls, int64_t *row)
    int read_slice(const Workspace *ws, const Slice *slice, Buffer *buffer, Text *text, int level)


cdef class Chunk:
    """One imported Arrow array; it is released with this object."""

    cdef ArrowArray array

    def __cinit__(self):
        memset(&self.array, 0, sizeof(self.array))

    def __dealloc__(self):
        if self.array.release != NULL:
            self.array.release(&self.array)


@cython.no_gc   # it is never part of a cycle; a collector that clears `base` first would free the slices of a view
cdef class ArrowTexts:
    """The texts of an Arrow array or stream, without a copy: strings of any layout, dictionaries, or lists of either.

    It is a sequence of str. A slice is a view. Null elements are None; ``nulls`` is their number. If the array has lists,
    ``starts`` has the index of the first text of each list, and the number of texts.
    """

    cdef list sources                   # what keeps the texts alive
    cdef ArrowTexts base
    cdef Slice *slices
    cdef Py_ssize_t number, first       # the number of texts, and the index of the first in the whole array
    cdef Py_ssize_t rows
    cdef array bounds                   # where the texts of each segment begin, if they are several
    cdef Py_ssize_t segments_before     # those before the first of `bounds`
    cdef readonly Py_ssize_t nulls
    cdef readonly array starts

    def __init__(self, source):
        cdef Layout layout
        self.sources = []
        if hasattr(source, "__arrow_c_stream__"):
            self.read_stream(source.__arrow_c_stream__())
        else:
            schema, array = source.__arrow_c_array__()
            layout = layout_of(<ArrowSchema *> PyCapsule_GetPointer(schema, "arrow_schema"))
            self.read_array(&layout, move_array(<ArrowArray *> PyCapsule_GetPointer(array, "arrow_array")))

    cdef read_stream(self, capsule):
        cdef ArrowArrayStream *stream = <ArrowArrayStream *> PyCapsule_GetPointer(capsule, "arrow_array_stream")
        cdef ArrowSchema schema
        cdef ArrowArray array
        cdef Layout layout
        if stream.release == NULL:
            raise UsageError("An Arrow stream was already read; create it again.")
        check_stream(stream, stream.get_schema(stream, &schema))
        try:
            layout = layout_of(&schema)
        finally:
            if schema.release != NULL:
                schema.release(&schema)
        while True:
            check_stream(stream, stream.get_next(stream, &array))
            if array.release == NULL:
                break
            self.read_array(&layout, move_array(&array))

    cdef read_array(self, const Layout *layout, Chunk chunk):
        cdef int64_t number, nulls, row = 0
        cdef int64_t *starts
        cdef int status = 0
        if not has_layout(&chunk.array, layout):
            raise UsageError("An Arrow array has a negative length, or lacks a buffer or child; create it again.")
        number = self.number + chunk.array.length
        if layout.list:
            if self.starts is None:
                self.bounds = self.starts = array("q", [0])
            resize_smart(self.starts, self.rows + chunk.array.length + 1)
            starts = integers(self.starts) + self.rows
            with nogil:
                status = start_lists(&chunk.array, layout, starts, &row)
            if not status:
                number = starts[chunk.array.length]
        if not status:
            self.reserve(number)
            with nogil:
                status = slice_rows(
                    &chunk.array, layout, self.slices + self.number, number - self.number, &nulls, &row
                )
        if status:
            raise UsageError(
                f"Segment {self.rows + row} (counted from 0) of an Arrow array has "
                + ("an index outside its dictionary" if status == BAD_INDEX else
                   "offsets that go backwards or leave their buffer")
                + "; create it again."
            )
        self.nulls += nulls
        self.number = number
        self.rows += chunk.array.length
        self.sources.append(chunk)

    cdef reserve(self, Py_ssize_t number):
        cdef Slice *slices = <Slice *> realloc(self.slices, (number + 1) * sizeof(Slice))
        if slices == NULL:
            raise MemoryError
        self.slices = slices

    def __dealloc__(self):
        if self.base is None:
            free(self.slices)

    def __len__(self):
        return self.number

    def __getitem__(self, index):
        cdef Py_ssize_t at, step, stop
        cdef ArrowTexts part
        if isinstance(index, slice):
            at, stop, step = index.indices(self.number)
            if step != 1:
                return list(self)[index]
            part = ArrowTexts.__new__(ArrowTexts)
            part.base, part.slices, part.number, part.nulls = self, self.slices + at, max(0, stop - at), self.nulls
            part.first, part.bounds, part.segments_before = self.first + at, self.bounds, self.segments_before
            return part
        at = range(self.number)[index]
        if self.slices[at].data == NULL:
            return None
        try:
            return (<const char *> self.slices[at].data)[: self.slices[at].size].decode("utf-8")
        except UnicodeDecodeError:
            check(BAD_TEXT, self.segment(at))

    def __contains__(self, text):
        cdef bytes sought
        cdef Py_ssize_t i
        if text is None:
            return self.nulls > 0
        try:
            sought = text.encode()
        except (AttributeError, UnicodeEncodeError):
            return False
        for i in range(self.number):
            if self.slices[i].size == len(sought) and self.slices[i].data != NULL:
                if not memcmp(self.slices[i].data, <const char *> sought, len(sought)):
                    return True
        return False

    def __iter__(self):
        return (self[i] for i in range(self.number))

    cdef Py_ssize_t segment(self, Py_ssize_t i):
        """Return the index of the segment of a text."""
        i += self.first
        return self.segments_before + (i if self.bounds is None else bisect_right(self.bounds, i) - 1)

    def repeat(self, starts) -> ArrowTexts:
        """Return text `i` as often as list `i` has elements: ``starts[i + 1] - starts[i]`` times."""
        cdef array bounds = array("q", starts)
        cdef int64_t *bound = integers(bounds)
        cdef Py_ssize_t i, number = 0
        if len(bounds) != self.number + 1:
            raise UsageError(f"There are {self.number} texts and {len(bounds) - 1} lists.")
        for i in range(self.number):
            number += max(0, bound[i + 1] - bound[i])
        cdef ArrowTexts texts = texts_with_room(number, [self], bounds)
        texts.first, texts.segments_before, texts.nulls = bound[0], self.first, self.nulls
        for i in range(self.number):
            for _ in range(bound[i + 1] - bound[i]):
                texts.slices[texts.number] = self.slices[i]
                texts.number += 1
        return texts

    def kept(self) -> tuple:
        """Return the texts of lists without nulls, their ``starts``, and the index that each had in its list."""
        cdef array starts = self.starts[:], origins = clone(array("q"), self.number, False)
        cdef ArrowTexts texts = texts_with_room(self.number, [self], starts)
        cdef int64_t *start = integers(self.starts)
        cdef Py_ssize_t i, k
        for i in range(len(starts) - 1):
            for k in range(start[i], start[i + 1]):
                if self.slices[k].data != NULL:
                    texts.slices[texts.number] = self.slices[k]
                    integers(origins)[texts.number] = k - start[i]
                    texts.number += 1
            integers(starts)[i + 1] = texts.number
        return texts, starts, origins[: texts.number]


cdef ArrowTexts texts_with_room(Py_ssize_t room, list sources, array bounds):
    cdef ArrowTexts texts = ArrowTexts.__new__(ArrowTexts)
    texts.sources, texts.bounds = sources, bounds
    texts.reserve(room)
    return texts


def interleave(columns) -> ArrowTexts:
    """Return the texts of several columns as one list for each row."""
    cdef Py_ssize_t i, j, step = len(columns), number = len(columns[0])
    cdef ArrowTexts column, texts = texts_with_room(step * number, list(columns), array("q", range(0, step * number + 1, step)))
    texts.starts, texts.number = texts.bounds, step * number
    for j, column in enumerate(columns):
        if column.number != number:
            raise UsageError(f"There are {number} texts in one column and {column.number} in another.")
        texts.nulls += column.nulls
        for i in range(number):
            texts.slices[i * step + j] = column.slices[i]
    return texts


cdef Chunk move_array(ArrowArray *array):
    """Move an array as the C data interface prescribes: mark the source as released."""
    if array.release == NULL:
        raise UsageError("An Arrow array was already imported; export it again.")
    cdef Chunk chunk = Chunk()
    chunk.array = array[0]
    array.release = NULL
    return chunk


cdef Layout layout_of(ArrowSchema *schema) except *:
    cdef Layout layout
    memset(&layout, 0, sizeof(layout))
    if schema.release == NULL:
        raise UsageError("An Arrow schema was already imported; export it again.")
    layout.list = list_format(schema.format, &layout.width)
    if layout.list and schema.n_children == 1 and schema.children != NULL and schema.children[0] != NULL:
        schema = schema.children[0]
    if schema.dictionary != NULL:
        layout.index = index_format(schema.format)
        if not layout.index:
            raise UsageError("An Arrow dictionary has indices that are no integers; export it again.")
        schema = schema.dictionary
    layout.text = text_format(schema.format)
    if layout.text == NO_TEXT or schema.dictionary != NULL:
        format = "" if schema.format == NULL else schema.format.decode(errors="replace")
        if format == "+s" and not layout.list:
            raise UsageError("An Arrow table was given; pass the one column that has the texts.")
        place = "The dictionary of an" if layout.index else "Each list of an" if layout.list else "An"
        raise UsageError(
            f"{place} Arrow array has the format {format!r}; string, large_string or string_view was expected (formats 'u', "
            "'U', 'vu'), or a dictionary of them: cast it."
        )
    return layout


cdef check_stream(ArrowArrayStream *stream, int status):
    cdef const char *message
    if status:
        message = stream.get_last_error(stream)
        raise UsageError(f"The Arrow stream stopped: {message.decode(errors='replace') if message != NULL else status}.")
