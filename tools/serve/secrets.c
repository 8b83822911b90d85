/* secrets: reads tokens, certificate and key, and checks the tokens of clients. */
#include "serve/secrets.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "trawl/remote/tls.h"
#include "trawl/text/message.h"
#include "trawl/text/whole.h"

#define FREE_ALL 1u /* GNUTLS_CERT_RETR_DEINIT_ALL */

/* What was read; `tokens` are lines of NAME, tab and TOKEN, or one line of a token alone. */
struct secrets {
    char *tokens, *certificate, *key;
};

static struct secrets current;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void free_secrets(struct secrets *secrets)
{
    free(secrets->tokens);
    free(secrets->certificate);
    free(secrets->key);
}

/* Prints a warning if all users can read or change the secret file. */
static void warn_of_readers(const char *path)
{
    struct stat status;

    if (path != NULL && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
        (status.st_mode & (S_IROTH | S_IWOTH)) != 0)
        message_print("warning: %s: all users may read or change this secret (mode %04o)", path,
                      (unsigned)status.st_mode & 07777u);
}

/* Reads a whole file into *text, which stays NULL if path is NULL. False: message says why. */
static bool read_secret(const char *path, char **text, char *message)
{
    size_t bytes_count;

    if (path == NULL)
        return true;
    if (!whole_read(path, text, &bytes_count, message))
        return false;
    (*text)[bytes_count] = '\0'; /* whole_read leaves room for this byte */
    return true;
}

/* Reads the tokens. False: message says why. */
static bool read_tokens(const char *path, char **tokens, char *message)
{
    unsigned long line = 0;

    if (path == NULL || whole_read_token(path, tokens, message))
        return true;
    if (!read_secret(path, tokens, message) || strchr(*tokens, '\t') == NULL)
        return false;
    for (char *at = *tokens, *tab; *at != '\0'; at = tab + strcspn(tab, "\n"), at += *at != '\0') {
        size_t name_bytes = strcspn(at, "\t\n"), bytes;

        line++;
        tab = at + name_bytes;
        bytes = strcspn(tab, "\n");
        for (size_t i = 1; i < bytes; i++)
            bytes = tab[i] > ' ' && tab[i] <= '~' ? bytes : 0;
        for (size_t i = 0; i < name_bytes; i++)
            bytes = at[i] >= ' ' && at[i] <= '~' && at[i] != '"' && at[i] != '\\' ? bytes : 0;
        if (name_bytes == 0 || name_bytes >= SECRETS_NAME_BYTES || bytes < 2)
            return message_fail(message,
                                "%.200s:%lu: a line is a name of up to %u characters of ASCII, a "
                                "tab and a token of visible ones",
                                path, line, SECRETS_NAME_BYTES - 1);
    }
    return true;
}

/* Reads all files into *read. False: message says why. */
static bool read_all(const struct secret_files *files, struct secrets *read, char *message)
{
    char why[SETTINGS_ERROR_BYTES];

    if (!read_tokens(files->token, &read->tokens, message) ||
        !read_secret(files->certificate, &read->certificate, message) ||
        !read_secret(files->key, &read->key, message))
        return false;
    if (read->certificate == NULL || read->key == NULL)
        return read->certificate == read->key ||
               message_fail(message, "%s: %s", "--certificate, --key",
                            "each of the two options needs the other");
    return tls_check(read->certificate, read->key, why) ||
           message_fail(message, "%.150s, %.150s: %.150s", files->certificate, files->key, why);
}

bool secrets_read(const struct secret_files *files, char *message)
{
    struct secrets read = {NULL, NULL, NULL}, old;

    if (!read_all(files, &read, message)) {
        free_secrets(&read);
        return false;
    }
    (void)pthread_rwlock_wrlock(&lock);
    old = current;
    current = read;
    (void)pthread_rwlock_unlock(&lock);
    free_secrets(&old);
    warn_of_readers(files->token);
    warn_of_readers(files->key);
    return true;
}

void secrets_free(void)
{
    free_secrets(&current);
}

/* Returns true if the bytes are the token. The time does not depend on how many of them are right,
 * so that a client cannot find the token byte by byte. */
static bool is_token(const char *token, size_t bytes, const char *given)
{
    unsigned difference = strlen(given) != bytes;

    for (size_t i = 0, at = 0; i < bytes; i++) {
        difference |= (unsigned char)token[i] ^ (unsigned char)given[at];
        at += given[at] != '\0';
    }
    return difference == 0;
}

bool secrets_admit(const char *header, char name[SECRETS_NAME_BYTES])
{
    bool has_one = header != NULL && strncasecmp(header, "Bearer ", 7) == 0, good;

    *name = '\0';
    (void)pthread_rwlock_rdlock(&lock);
    good = current.tokens == NULL;
    for (const char *at = has_one && !good ? current.tokens : ""; *at != '\0'; at += *at == '\n') {
        size_t name_bytes = strcspn(at, "\t\n");
        const char *token = at[name_bytes] == '\t' ? at + name_bytes + 1 : at;
        size_t bytes = strcspn(token, "\n");

        if (is_token(token, bytes, header + 7)) {
            good = true;
            if (token != at)
                ((char *)memcpy(name, at, name_bytes))[name_bytes] = '\0';
        }
        at = token + bytes;
    }
    (void)pthread_rwlock_unlock(&lock);
    return good;
}

int secrets_show(void *session, const void *info, void **certificates, unsigned *count,
                 void **statuses, unsigned *status_count, void **key, unsigned *flags)
{
    int code;

    (void)session, (void)info;
    *statuses = NULL;
    *status_count = 0;
    *flags = FREE_ALL;
    (void)pthread_rwlock_rdlock(&lock);
    code = tls_show(current.certificate, current.key, certificates, count, key);
    (void)pthread_rwlock_unlock(&lock);
    return code;
}
