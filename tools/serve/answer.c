/* answer: a request, from its settings to the bytes of its answer. */
#include "serve/answer.h"

struct served_answer {
    int descriptor;
};

int answer_descriptor(const struct served_answer *answer)
{
    return answer->descriptor;
}
