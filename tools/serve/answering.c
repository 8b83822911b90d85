/* answering: what all formats need of an answer: its beginning, state, view and pass. */
#include "serve/answering.h"

#include <stdio.h>

void answering_begins(struct served_answer *answer, int http_status, const char *message)
{
    pthread_mutex_lock(&answer->lock);
    if (!answer->begun && http_status != 0) {
        answer->http_status = http_status;
        (void)snprintf(answer->message, sizeof answer->message, "%s", message);
    }
    answer->begun = true;
    pthread_cond_signal(&answer->begins);
    pthread_mutex_unlock(&answer->lock);
}

bool answering_pass(struct served_answer *answer, const struct patterns *patterns)
{
    struct pass_request *pass = &answer->pass;
    struct collection_facts facts;
    bool good;

    collection_facts(answer->collection, &facts);
    pass->plan = patterns->plan;
    pass->options = &patterns->options;
    pass->collection = answer->collection;
    pass->search_zip = facts.unpacks && (answer->request.settings.search_zip ||
                                         answer->request.format >= REQUEST_COLUMNS);
    pass->state = answer->state;
    pass->view = answer->view;
    pass->client = answer->client;
    pthread_mutex_lock(&answer->lock);
    answer->passing = !answer->cancelled && !answer->truncated;
    good = answer->passing;
    pthread_mutex_unlock(&answer->lock);
    good = good && pass_run(answer->server->passes, pass);
    pthread_mutex_lock(&answer->lock);
    answer->passing = false;
    pthread_mutex_unlock(&answer->lock);
    if (good)
        answer->shared_count = pass->shared_count;
    return good;
}

bool answering_look(struct served_answer *answer, struct command_job *job,
                    const struct value_item *operands, size_t operand_count)
{
    char message[SETTINGS_ERROR_BYTES] = "";

    answer->state = collection_now(answer->collection, message);
    if (answer->state == NULL) {
        answering_begins(answer, 503, message);
        return false;
    }
    answer->view = collection_view(answer->collection, &answer->state, job,
                                   answer->request.directory, operands, operand_count, message);
    if (answer->view == NULL) {
        answering_begins(answer, 409, message);
        return false;
    }
    job->left_out = answer->view->left_out;
    job->show_names = answer->view->show_names;
    return true;
}
