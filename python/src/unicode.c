/* unicode: case and words beyond ASCII, for plans. The library has no tables; these are made of
 * what Python says about its characters, once for a module (trawl._unicode).
 */
#include <stdlib.h>
#include <string.h>

#include "binding.h"

#define WORD_BYTES (0x110000 / 8)

struct unicode {
    struct trawl_utf8 functions;
    Py_buffer group_of; /* uint16_t of each code point below group_of.len / 2; 0: it stands alone */
    Py_buffer groups;   /* uint32_t[TRAWL_UTF8_VARIANTS_MAX] each, zeros after; group 0 is none */
    Py_buffer words;    /* a bit for each code point */
};

static uint32_t variants_of(void *context, uint32_t code_point,
                            uint32_t variants[TRAWL_UTF8_VARIANTS_MAX])
{
    const struct unicode *unicode = (const struct unicode *)context;
    const uint16_t *group_of = (const uint16_t *)unicode->group_of.buf;
    const uint32_t *group;
    uint32_t count = 0;

    variants[0] = code_point;
    if (code_point >= (uint64_t)unicode->group_of.len / sizeof *group_of ||
        group_of[code_point] == 0)
        return 1;
    group = (const uint32_t *)unicode->groups.buf +
            (size_t)TRAWL_UTF8_VARIANTS_MAX * group_of[code_point];
    for (; count < TRAWL_UTF8_VARIANTS_MAX && group[count] != 0; count++)
        variants[count] = group[count];
    return count;
}

static bool is_word(void *context, uint32_t code_point)
{
    const struct unicode *unicode = (const struct unicode *)context;
    const uint8_t *words = (const uint8_t *)unicode->words.buf;

    return code_point < 8 * WORD_BYTES && (words[code_point >> 3] >> (code_point & 7) & 1) != 0;
}

void unicode_free(struct unicode *unicode)
{
    if (unicode == NULL)
        return;
    PyBuffer_Release(&unicode->group_of);
    PyBuffer_Release(&unicode->groups);
    PyBuffer_Release(&unicode->words);
    free(unicode);
}

const struct trawl_utf8 *unicode_functions(const struct unicode *unicode)
{
    return unicode == NULL ? NULL : &unicode->functions;
}

struct unicode *unicode_want(struct binding *binding)
{
    struct unicode *made;
    PyObject *module, *tables = NULL;
    bool read = false;

    if (binding->unicode != NULL)
        return binding->unicode;
    made = (struct unicode *)calloc(1, sizeof *made);
    if (made == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    module = PyImport_ImportModule("trawl._unicode");
    if (module != NULL)
        tables = PyObject_CallMethod(module, "tables", NULL);
    if (tables != NULL)
        read = PyArg_ParseTuple(tables, "y*y*y*:tables", &made->group_of, &made->groups,
                                &made->words) != 0;
    Py_XDECREF(module);
    Py_XDECREF(tables);
    if (!read || binding->unicode != NULL) { /* another thread may have come first */
        if (read)
            unicode_free(made);
        else
            free(made);
        return binding->unicode;
    }
    made->functions = (struct trawl_utf8){made, variants_of, is_word};
    binding->unicode = made;
    return made;
}
