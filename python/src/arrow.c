/* arrow: making arrays for other libraries. */
#include "arrow.h"

#include <stdlib.h>
#include <string.h>

/* ---- Schemas: names, and children ---- */

static void schema_release(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i] != NULL && schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    free(schema->private_data);
    schema->release = NULL;
}

/* Format and name in one piece, which the schema owns. */
static bool schema_begin(const struct arrow_made *made, struct ArrowSchema *schema)
{
    const char *name = made->name == NULL ? "" : made->name;
    size_t format_bytes = strlen(made->format) + 1, name_bytes = strlen(name) + 1;
    char *names = (char *)malloc(format_bytes + name_bytes);

    memset(schema, 0, sizeof *schema);
    if (names == NULL)
        return false;
    memcpy(names, made->format, format_bytes);
    memcpy(names + format_bytes, name, name_bytes);
    schema->format = names;
    schema->name = names + format_bytes;
    schema->flags = 2;
    schema->private_data = names;
    schema->release = schema_release;
    return true;
}

/* ---- Arrays: shares of blocks, and children ---- */

struct array_memory {
    struct block *blocks[3];
    const void *buffers[3];
};

static void array_release(struct ArrowArray *array)
{
    struct array_memory *memory = (struct array_memory *)array->private_data;

    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i] != NULL && array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    free(array->children);
    for (int i = 0; memory != NULL && i < 3; i++)
        block_release(memory->blocks[i]);
    free(memory);
    array->release = NULL;
}

static bool array_begin(const struct arrow_made *made, struct ArrowArray *array)
{
    struct array_memory *memory = (struct array_memory *)calloc(1, sizeof *memory);

    memset(array, 0, sizeof *array);
    for (int64_t i = 0; i < made->block_count; i++) {
        if (memory == NULL) {
            block_release(made->blocks[i]);
            continue;
        }
        memory->blocks[i] = made->blocks[i];
        memory->buffers[i] = made->blocks[i] == NULL ? NULL : made->blocks[i]->bytes;
    }
    if (memory == NULL)
        return false;
    array->length = (int64_t)made->count;
    array->null_count = (int64_t)made->null_count;
    array->offset = (int64_t)made->first;
    array->n_buffers = made->block_count;
    array->buffers = memory->buffers;
    array->private_data = memory;
    array->release = array_release;
    return true;
}

static void blocks_release(const struct arrow_made *made)
{
    for (int64_t i = 0; i < made->block_count; i++)
        block_release(made->blocks[i]);
    for (int64_t i = 0; i < made->child_count; i++)
        blocks_release(&made->children[i]);
}

static bool make_children(const struct arrow_made *made, struct ArrowSchema *schema,
                          struct ArrowArray *array)
{
    size_t count = (size_t)made->child_count;
    bool made_all = true;

    if (count == 0)
        return true;
    schema->children = (struct ArrowSchema **)calloc(count, sizeof *schema->children);
    array->children = (struct ArrowArray **)calloc(count, sizeof *array->children);
    made_all = schema->children != NULL && array->children != NULL;
    if (made_all)
        schema->n_children = array->n_children = made->child_count;
    for (int64_t i = 0; i < made->child_count; i++) {
        if (made_all) {
            schema->children[i] = (struct ArrowSchema *)calloc(1, sizeof **schema->children);
            array->children[i] = (struct ArrowArray *)calloc(1, sizeof **array->children);
            made_all = schema->children[i] != NULL && array->children[i] != NULL;
        }
        if (!made_all)
            blocks_release(&made->children[i]);
        else
            made_all = arrow_make(&made->children[i], schema->children[i], array->children[i]);
    }
    return made_all;
}

bool arrow_make(const struct arrow_made *made, struct ArrowSchema *schema, struct ArrowArray *array)
{
    if (!schema_begin(made, schema)) {
        blocks_release(made);
        memset(array, 0, sizeof *array);
        return false;
    }
    if (!array_begin(made, array)) {
        for (int64_t i = 0; i < made->child_count; i++)
            blocks_release(&made->children[i]);
        schema_release(schema);
        return false;
    }
    if (make_children(made, schema, array))
        return true;
    schema_release(schema);
    array_release(array);
    return false;
}

/* ---- Capsules ---- */

static void schema_capsule_free(PyObject *capsule)
{
    struct ArrowSchema *schema =
        (struct ArrowSchema *)PyCapsule_GetPointer(capsule, "arrow_schema");

    if (schema != NULL && schema->release != NULL)
        schema->release(schema);
    free(schema);
}

static void array_capsule_free(PyObject *capsule)
{
    struct ArrowArray *array = (struct ArrowArray *)PyCapsule_GetPointer(capsule, "arrow_array");

    if (array != NULL && array->release != NULL)
        array->release(array);
    free(array);
}

PyObject *arrow_export(const struct arrow_made *made)
{
    struct ArrowSchema *schema = (struct ArrowSchema *)calloc(1, sizeof *schema);
    struct ArrowArray *array = (struct ArrowArray *)calloc(1, sizeof *array);
    PyObject *first, *second, *pair;

    if (schema == NULL || array == NULL) {
        blocks_release(made);
        free(schema);
        free(array);
        return PyErr_NoMemory();
    }
    if (!arrow_make(made, schema, array)) {
        free(schema);
        free(array);
        return PyErr_NoMemory();
    }
    first = PyCapsule_New(schema, "arrow_schema", schema_capsule_free);
    if (first == NULL) {
        schema->release(schema);
        free(schema);
    }
    second = PyCapsule_New(array, "arrow_array", array_capsule_free);
    if (second == NULL) {
        array->release(array);
        free(array);
    }
    pair = first != NULL && second != NULL ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return pair;
}

PyObject *arrow_export_numbers(const struct arrow_column *columns, int64_t column_count,
                               uint64_t count, bool as_struct)
{
    struct arrow_made made[4];
    struct arrow_made whole = {"+s", "", count, 0, 0, {NULL}, 1, made, column_count};

    for (int64_t i = 0; i < column_count; i++)
        made[i] = (struct arrow_made){.format = "L",
                                      .name = columns[i].name,
                                      .count = count,
                                      .first = columns[i].first,
                                      .blocks = {NULL, block_share(columns[i].block)},
                                      .block_count = 2};
    return arrow_export(as_struct ? &whole : made);
}
