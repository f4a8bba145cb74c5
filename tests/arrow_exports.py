"""Exporters of the Arrow C data interface that are free to lie, made with ctypes."""

import ctypes
import struct

Pointer = ctypes.c_void_p


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))

Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", Pointer),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(Pointer)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", RELEASE_ARRAY),
    ("private_data", Pointer),
]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [Pointer, ctypes.c_char_p, Pointer]


_exported = []  # the callbacks must live longer than whatever imports an array


class Export:
    """One array, and the number of times that it was released.

    Parameters
    ----------
    format : bytes or None
    length : int
    buffers : list of (bytes or None)
    children : list of (Export or None)
    dictionary : Export, optional
    offset : int
    number : int, optional
        The number of buffers that the array states.
    """

    def __init__(self, format, length=0, buffers=(), children=(), dictionary=None, offset=0, number=None):
        self.released = 0
        self.parts = children, dictionary
        self.memory = [None if data is None else ctypes.create_string_buffer(data, len(data)) for data in buffers]
        pointers = [None if data is None else ctypes.addressof(data) for data in self.memory]
        self.buffers = (Pointer * len(pointers))(*pointers) if pointers else None
        self.schemas = _pointers(Schema, [child and child.schema for child in children])
        self.arrays = _pointers(Array, [child and child.array for child in children])
        self.callbacks = RELEASE_SCHEMA(_forget), RELEASE_ARRAY(self._release)
        self.schema = Schema(format, b"", None, 2, len(children), self.schemas, None, self.callbacks[0], None)
        self.array = Array(
            length,
            -1,
            offset,
            len(pointers) if number is None else number,
            len(children),
            self.buffers,
            self.arrays,
            None,
            self.callbacks[1],
            None,
        )
        if dictionary is not None:
            self.schema.dictionary = ctypes.pointer(dictionary.schema)
            self.array.dictionary = ctypes.pointer(dictionary.array)

    def _release(self, array):
        self.released += 1
        _forget(array)

    def __arrow_c_array__(self, requested_schema=None):
        _exported.append(self)
        schema = _new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None)
        return schema, _new_capsule(ctypes.addressof(self.array), b"arrow_array", None)


def _forget(structure):
    structure.contents.release = type(structure.contents.release)()


def _pointers(kind, structures):
    each = [ctypes.POINTER(kind)() if structure is None else ctypes.pointer(structure) for structure in structures]
    return (ctypes.POINTER(kind) * len(each))(*each) if each else None


def strings(*values, offsets=None, format=b"u", **fields):
    """Return an array of strings; `offsets` may differ from those of the values."""
    encoded = [value.encode() for value in values]
    ends = [0]
    for value in encoded:
        ends.append(ends[-1] + len(value))
    return Export(format, len(values), [None, packed("i", *(offsets or ends)), b"".join(encoded)], **fields)


def packed(kind, *integers):
    return struct.pack(f"={len(integers)}{kind}", *integers)
