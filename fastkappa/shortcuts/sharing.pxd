"""Let several threads call an object without contending for its reference count."""

from cpython.object cimport PyObject

# In free-threaded Python, threads contend for the reference count of an object that they share.
# Since CPython 3.14, an object can defer its reference count, but then only the garbage collector frees the object. The
# count is therefore deferred only if a thread other than the one that created the object calls it.
cdef extern from *:
    """
    #if defined(Py_GIL_DISABLED) && PY_VERSION_HEX >= 0x030E0000
    #define SHARE_CALLED(object, maker) \\
        (PyThread_get_thread_ident() != (maker) && PyUnstable_Object_EnableDeferredRefcount(object))
    #else
    #define SHARE_CALLED(object, maker) ((void)(object), (void)(maker), 0)
    #endif
    """
    # Defers the reference count if the calling thread is not `maker`, the thread that created the object. Returns
    # whether this call deferred it.
    bint share_called "SHARE_CALLED" (PyObject *object, unsigned long maker)
