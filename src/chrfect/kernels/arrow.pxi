# Texts in Arrow arrays.

cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdlib cimport free, malloc, realloc

cdef extern from "arrow.h" nogil:
    struct ArrowSchema:
        const char *format
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
    int NO_TEXT
    int text_format(const char *format)
    int64_t slice_array(const ArrowArray *array, int format, Slice *slices)
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
    """The texts of an Arrow array or stream (``string``, ``large_string``, ``string_view``), without a copy.

    It is a sequence of str. A slice is a view. Null elements are None; ``nulls`` is their number.
    """

    cdef list chunks
    cdef ArrowTexts base
    cdef Slice *slices
    cdef Py_ssize_t number, first      # the number of texts, and the index of the first in the whole array
    cdef readonly Py_ssize_t nulls

    def __init__(self, source):
        self.chunks = []
        if hasattr(source, "__arrow_c_stream__"):
            self.read_stream(source.__arrow_c_stream__())
        else:
            schema, array = source.__arrow_c_array__()
            self.read_array(
                text_format_of(<ArrowSchema *> PyCapsule_GetPointer(schema, "arrow_schema")),
                move_array(<ArrowArray *> PyCapsule_GetPointer(array, "arrow_array")),
            )

    cdef read_stream(self, capsule):
        cdef ArrowArrayStream *stream = <ArrowArrayStream *> PyCapsule_GetPointer(capsule, "arrow_array_stream")
        cdef ArrowSchema schema
        cdef ArrowArray array
        cdef int format
        if stream.release == NULL:
            raise UsageError("An Arrow stream was already read; create it again.")
        check_stream(stream, stream.get_schema(stream, &schema))
        try:
            format = text_format_of(&schema)
        finally:
            schema.release(&schema)
        while True:
            check_stream(stream, stream.get_next(stream, &array))
            if array.release == NULL:
                return
            self.read_array(format, move_array(&array))

    cdef read_array(self, int format, Chunk chunk):
        cdef Py_ssize_t number = self.number + chunk.array.length
        cdef Slice *slices = <Slice *> realloc(self.slices, (number + 1) * sizeof(Slice))
        if slices == NULL:
            raise MemoryError
        self.slices = slices
        cdef int64_t nulls = slice_array(&chunk.array, format, slices + self.number)
        if nulls < 0:
            raise UsageError("An Arrow array has offsets that go backwards or leave their buffer; create it again.")
        self.nulls += nulls
        self.number = number
        self.chunks.append(chunk)

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
            part.first = self.first + at
            return part
        at = range(self.number)[index]
        if self.slices[at].data == NULL:
            return None
        try:
            return (<const char *> self.slices[at].data)[: self.slices[at].size].decode("utf-8")
        except UnicodeDecodeError:
            check(BAD_TEXT, self.first + at)

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


cdef Chunk move_array(ArrowArray *array):
    """Move an array as the C data interface prescribes: mark the source as released."""
    if array.release == NULL:
        raise UsageError("An Arrow array was already imported; export it again.")
    cdef Chunk chunk = Chunk()
    chunk.array = array[0]
    array.release = NULL
    return chunk


cdef int text_format_of(ArrowSchema *schema) except -1:
    cdef int format = text_format(schema.format)
    if schema.dictionary != NULL:
        raise UsageError("An Arrow array is dictionary-encoded (a categorical); decode it to string.")
    if schema.format == b"+s":
        raise UsageError("An Arrow table was given; pass the one column that has the texts.")
    if format == NO_TEXT:
        raise UsageError(
            f"An Arrow array has the format {schema.format.decode()!r}; string, large_string or string_view was "
            "expected (formats 'u', 'U', 'vu'): cast it."
        )
    return format


cdef check_stream(ArrowArrayStream *stream, int status):
    cdef const char *message
    if status:
        message = stream.get_last_error(stream)
        raise UsageError(f"The Arrow stream stopped: {message.decode(errors='replace') if message != NULL else status}.")
