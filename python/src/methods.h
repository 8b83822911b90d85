/* methods: the searches, as rows of the method tables of Plan and of Searcher.
 *
 * A plan's searches go through the default searcher; a searcher's take the plan as their first
 * argument. FIRST is the beginning of the signature: "$self, text" or "$self, plan, text".
 */
#ifndef TRAWL_PYTHON_METHODS_H
#define TRAWL_PYTHON_METHODS_H

#include "binding.h"

PyObject *search_count(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words);
PyObject *search_count_by_pattern(PyObject *self, PyObject *const *given, Py_ssize_t count,
                                  PyObject *words);
PyObject *search_count_lines(PyObject *self, PyObject *const *given, Py_ssize_t count,
                             PyObject *words);
PyObject *search_first(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words);
PyObject *search_positions(PyObject *self, PyObject *const *given, Py_ssize_t count,
                           PyObject *words);
PyObject *search_positions_into(PyObject *self, PyObject *const *given, Py_ssize_t count,
                                PyObject *words);
PyObject *search_matches(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words);
PyObject *search_batches(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words);
PyObject *search_each(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words);
PyObject *search_lines(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words);
PyObject *search_line_batches(PyObject *self, PyObject *const *given, Py_ssize_t count,
                              PyObject *words);

PyObject *records_contains(PyObject *self, PyObject *const *given, Py_ssize_t count,
                           PyObject *words);
PyObject *records_which(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words);
PyObject *records_counts(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words);
PyObject *records_lists(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words);
PyObject *records_cells(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words);
PyObject *records_patterns(PyObject *self, PyObject *const *given, Py_ssize_t count,
                           PyObject *words);
PyObject *records_struct(PyObject *module, PyObject *arguments);
PyObject *records_strings(PyObject *module, PyObject *column);

#define SEARCH_ROW(name, function, signature, text)                       \
    {                                                                     \
        name, BINDING_METHOD(function), BINDING_FAST, name signature text \
    }
#define SEARCH_METHODS(FIRST)                                                                      \
    SEARCH_ROW("count", search_count, "(" FIRST ", *, progress=None)\n--\n\n",                     \
               "How many occurrences the text holds, overlapping ones too."),                      \
        SEARCH_ROW("count_by_pattern", search_count_by_pattern,                                    \
                   "(" FIRST ", *, progress=None)\n--\n\n",                                        \
                   "How many occurrences of each pattern the text holds: a Column, as long as "    \
                   "the plan."),                                                                   \
        SEARCH_ROW("count_lines", search_count_lines,                                              \
                   "(" FIRST ", *, invert=False, limit=None, progress=None)\n--\n\n",              \
                   "How many lines an occurrence begins in; with invert, how many have none.\n"    \
                   "limit: stop there."),                                                          \
        SEARCH_ROW("first", search_first, "(" FIRST ", *, progress=None)\n--\n\n",                 \
                   "The first occurrence as (begin, end, pattern), or None. Among those that "     \
                   "begin\nat one place it is that of the least pattern index."),                  \
        SEARCH_ROW("positions", search_positions, "(" FIRST ", *, progress=None)\n--\n\n",         \
                   "Where all occurrences begin, ascending: a Column of uint64."),                 \
        SEARCH_ROW(                                                                                \
            "positions_into", search_positions_into, "(" FIRST ", out, *, progress=None)\n--\n\n", \
            "Write where the first len(out) occurrences begin to an array of yours, and "          \
            "return how\nmany there are in all. out: one dimension of 64-bit numbers with "        \
            "the buffer protocol, or\non a device, with __cuda_array_interface__; for that "       \
            "the text is to be loaded\n(Searcher.load), and work on out that was submitted "       \
            "before is to be over."),                                                              \
        SEARCH_ROW("matches", search_matches,                                                      \
                   "(" FIRST ", *, line_numbers=False, progress=None)\n--\n\n",                    \
                   "All occurrences in order of (begin, pattern): Matches, which holds columns."), \
        SEARCH_ROW("batches", search_batches, "(" FIRST ", *, line_numbers=False)\n--\n\n",        \
                   "Iterate over the occurrences in batches, each a Matches, while the text is "   \
                   "searched.\nBatches without an occurrence are left out."),                      \
        SEARCH_ROW(                                                                                \
            "each", search_each, "(" FIRST ", call, *, line_numbers=False)\n--\n\n",               \
            "Call call(matches) with each of these batches; a true answer ends the search. "       \
            "Returns how\nmany occurrences the calls were given."),                                \
        SEARCH_ROW("lines", search_lines, "(" FIRST ", *, progress=None)\n--\n\n",                 \
                   "The lines in which an occurrence begins: Lines, each with its number and "     \
                   "where it begins."),                                                            \
        SEARCH_ROW(                                                                                \
            "line_batches", search_line_batches, "(" FIRST ")\n--\n\n",                            \
            "Iterate over these lines in batches, each a Lines, while the text is searched.")

/* The searches of records: FIRST is "$self, column" or "$self, plan, column". */
#define RECORD_METHODS(FIRST)                                                                    \
    SEARCH_ROW("contains", records_contains, "(" FIRST ")\n--\n\n",                              \
               "Of each record: does any pattern occur in it? An Array of bool."),               \
        SEARCH_ROW(                                                                              \
            "which", records_which, "(" FIRST ")\n--\n\n",                                       \
            "Of each record the least index of the patterns that occur, null if none does: "     \
            "an\nArray of int64."),                                                              \
        SEARCH_ROW("pattern_counts", records_counts, "(" FIRST ")\n--\n\n",                      \
                   "Of each record: how many patterns occur in it? An Array of uint64."),        \
        SEARCH_ROW("pattern_lists", records_lists, "(" FIRST ")\n--\n\n",                        \
                   "Of each record the indices of the patterns that occur: an Array of lists."), \
        SEARCH_ROW("cells", records_cells, "(" FIRST ")\n--\n\n",                                \
                   "All pairs of a record and a pattern that occurs in it, and where it first "  \
                   "begins\nthere: Cells."),                                                     \
        SEARCH_ROW("record_counts", records_patterns, "(" FIRST ")\n--\n\n",                     \
                   "Of each pattern: in how many records does it occur? A Column.")

#endif
