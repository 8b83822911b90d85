/* head: finds what is ambiguous in a request's head (the lines before its body), as libmicrohttpd
 * presents it. A proxy before the server might see other requests there than the server does. */
#include "serve/head.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include "trawl/text/command_clock.h"

/* What makes a head ambiguous. */
struct head {
    unsigned length_count, encoding_count, host_count;
    bool is_chunked, has_bad_name, has_bad_byte;
    /* Where the next line must begin, if the library presented all lines so far unchanged; else
     * NULL. Version 0.9 of the library leaves the head in its buffer, with NUL bytes in place of
     * colons and line ends, so each line must begin where the previous one ended. */
    const char *at;
};

bool head_has_control(const char *text)
{
    for (; *text != '\0'; text++)
        if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
            return true;
    return false;
}

static enum MHD_Result read_header(void *context, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    static const char name_bytes[] = "!#$%&'*+-.^_`|~0123456789"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    struct head *head = context;
    size_t bytes = strlen(name);
    const char *begin = head->at == name ? name + bytes + 1 : NULL;

    (void)kind;
    value = value != NULL ? value : "";
    head->has_bad_name |= bytes == 0 || name[strspn(name, name_bytes)] != '\0';
    head->has_bad_byte |= head_has_control(value);
    head->length_count += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0;
    if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        head->encoding_count++;
        head->is_chunked = strcasecmp(value, "chunked") == 0; /* the library's opinion, too */
    }
    head->at = NULL;
    if (begin != NULL && value == begin + strspn(begin, " \t")) {
        begin = value + strlen(value);
        head->at = begin[1] == '\0' ? begin + 2 : NULL;
    }
    /* Blanks behind a value are not part of it (RFC 9110, 5.5), but version 0.9 leaves them. */
    for (size_t end = strlen(value); end > 0 && strchr(" \t", value[end - 1]) != NULL;)
        ((char *)(uintptr_t)value)[--end] = '\0';
    if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) {
        head->host_count++;
        head->has_bad_byte |= value[strcspn(value, "@/\\?#, \t")] != '\0';
    }
    return MHD_YES;
}

/* Returns true if the head has lines that the library changed: a line that continues the previous
 * one, a line that ends without CR, or a NUL byte. Always false in version 1 of the library, which
 * itself rejects such lines. */
static bool hides_lines(struct MHD_Connection *connection, const struct head *head,
                        const char *method)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

    return *MHD_get_version() == '0' &&
           (head->at == NULL || head->at + 2 != method + info->header_size || head->at[1] != '\0');
}

const char *head_ambiguity(struct MHD_Connection *connection, const char *method,
                           const struct head_target *target, const char *version, bool *is_chunked)
{
    struct head head = {.at = version + strlen(version) + 2};

    (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, read_header, &head);
    *is_chunked = head.encoding_count > 0;
    if (target->end == NULL || version != target->end + 1)
        return "the request's target has a blank, a NUL byte or a control byte";
    if (target->begin != method + strlen(method) + 1)
        return "the request's method has a NUL byte, or more than one blank behind";
    if (hides_lines(connection, &head, method))
        return "a line of the head is folded, ends without CR LF, or has a NUL byte";
    if (head.has_bad_name)
        return "a header's name has a byte that is not allowed, such as a blank before the colon";
    if (head.has_bad_byte)
        return "a header's value has a byte that is not allowed there";
    if (head.length_count > 1 || head.encoding_count > 1 || head.host_count > 1)
        return "a header that may come once comes twice: Content-Length, Transfer-Encoding or Host";
    if (head.host_count == 0 && strcmp(version, "HTTP/1.0") != 0)
        return "the request needs a Host header";
    if (head.length_count + head.encoding_count > 1)
        return "Content-Length stands beside Transfer-Encoding";
    if (head.encoding_count > 0 && (!head.is_chunked || strcmp(version, "HTTP/1.0") == 0))
        return "Transfer-Encoding is not chunked, or the request is not HTTP/1.1";
    return NULL;
}

bool head_is_ours(const char *host, const struct listener *listener, const char *own_name)
{
    bool has_brackets = *host == '[';
    size_t bytes = strcspn(host += has_brackets, has_brackets ? "]" : ":");
    const char *rest = host + bytes + has_brackets;
    char name[HEAD_HOST_BYTES_MAX];
    struct in6_addr six;
    struct in_addr four;

    if (listener->is_unix || !listener->is_loopback)
        return true;
    if (bytes >= sizeof name || (has_brackets && host[bytes] == '\0') ||
        (*rest != '\0' && (*rest != ':' || rest[1 + strspn(rest + 1, "0123456789")] != '\0')))
        return false;
    memcpy(name, host, bytes);
    name[bytes] = '\0';
    if (has_brackets)
        return inet_pton(AF_INET6, name, &six) == 1;
    return strcasecmp(name, "localhost") == 0 || strcasecmp(name, listener->host) == 0 ||
           (own_name != NULL && strcasecmp(name, own_name) == 0) ||
           inet_pton(AF_INET, name, &four) == 1;
}

const char *head_path(const char *target, char *host)
{
    const char *at = strncasecmp(target, "http", 4) == 0 ? target + 4 : "";
    size_t bytes;

    at += *at == 's' || *at == 'S';
    bytes = strncmp(at, "://", 3) == 0 ? strcspn(at + 3, "/@\\?#, \t") : 0;
    *host = '\0';
    if (bytes == 0 || bytes >= HEAD_HOST_BYTES_MAX ||
        (at[3 + bytes] != '/' && at[3 + bytes] != '\0'))
        return target;
    memcpy(host, at + 3, bytes);
    host[bytes] = '\0';
    return at[3 + bytes] == '/' ? at + 3 + bytes : "/";
}

/* ---- Heads that come too late ---------------------------------------------------------------- */

static void *end_late(void *context)
{
    struct late_heads *heads = context;

    pthread_mutex_lock(&heads->mutex);
    while (!heads->is_ending) {
        const uint64_t now = now_ns();
        const struct timespec next = {(time_t)(now / SECOND_NS + 1), (long)(now % SECOND_NS)};

        for (struct head_wait *wait = heads->first; wait != NULL; wait = wait->next)
            if (wait->until_ns != 0 && now >= wait->until_ns)
                (void)shutdown(wait->descriptor, SHUT_RDWR);
        if (heads->first == NULL)
            (void)pthread_cond_wait(&heads->wake, &heads->mutex);
        else
            (void)pthread_cond_timedwait(&heads->wake, &heads->mutex, &next);
    }
    pthread_mutex_unlock(&heads->mutex);
    return NULL;
}

bool late_heads_open(struct late_heads *heads, uint64_t limit_ns)
{
    *heads = (struct late_heads){.limit_ns = limit_ns};
    (void)pthread_mutex_init(&heads->mutex, NULL);
    (void)now_condition(&heads->wake);
    errno = pthread_create(&heads->thread, NULL, end_late, heads);
    return errno == 0;
}

void late_heads_close(struct late_heads *heads)
{
    pthread_mutex_lock(&heads->mutex);
    heads->is_ending = true;
    (void)pthread_cond_signal(&heads->wake);
    pthread_mutex_unlock(&heads->mutex);
    (void)pthread_join(heads->thread, NULL);
    (void)pthread_cond_destroy(&heads->wake);
    (void)pthread_mutex_destroy(&heads->mutex);
}

struct head_wait *late_heads_begin(struct late_heads *heads, int descriptor)
{
    struct head_wait *wait = calloc(1, sizeof *wait);

    if (wait == NULL)
        return NULL;
    pthread_mutex_lock(&heads->mutex);
    *wait = (struct head_wait){heads->first, NULL, descriptor, now_ns() + heads->limit_ns};
    if (wait->next != NULL)
        wait->next->before = wait;
    heads->first = wait;
    (void)pthread_cond_signal(&heads->wake);
    pthread_mutex_unlock(&heads->mutex);
    return wait;
}

void late_heads_came(struct late_heads *heads, struct head_wait *wait, bool again)
{
    if (wait == NULL)
        return;
    pthread_mutex_lock(&heads->mutex);
    wait->until_ns = again ? now_ns() + 2 * heads->limit_ns : 0;
    pthread_mutex_unlock(&heads->mutex);
}

void late_heads_end(struct late_heads *heads, struct head_wait *wait)
{
    if (wait == NULL)
        return;
    pthread_mutex_lock(&heads->mutex);
    if (wait->next != NULL)
        wait->next->before = wait->before;
    if (wait->before != NULL)
        wait->before->next = wait->next;
    else
        heads->first = wait->next;
    pthread_mutex_unlock(&heads->mutex);
    free(wait);
}
