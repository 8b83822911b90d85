"""clear: a module that names each noun, so the check has nothing to say about the module."""

# The caller owns the list, and the function only reads the list's items.
ITEMS = ['it its they them those such none others']
