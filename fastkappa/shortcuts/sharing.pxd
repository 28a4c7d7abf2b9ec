"""Objects that several threads call at the same time."""

from cpython.object cimport PyObject

# Without a GIL threads wait for each other to count the references to an object that they share. From
# CPython 3.14 on an object can do without, but only the garbage collector frees it then. So what only
# the thread that made it calls is counted, and freed at once, as any other.
cdef extern from *:
    """
    #if defined(Py_GIL_DISABLED) && PY_VERSION_HEX >= 0x030E0000
    #define SHARE_CALLED(object, maker) \\
        (PyThread_get_thread_ident() != (maker) && PyUnstable_Object_EnableDeferredRefcount(object))
    #else
    #define SHARE_CALLED(object, maker) ((void)(object), (void)(maker), 0)
    #endif
    """
    # Leaves references uncounted if another thread than the maker calls, and returns whether they were
    # counted until now.
    bint share_called "SHARE_CALLED" (PyObject *object, unsigned long maker)
