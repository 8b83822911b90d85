/* secrets: the tokens, the certificate and the key, which the server reads when it starts and after
 * SIGHUP. There is one of each in the process, because libmicrohttpd asks for the certificate
 * without a context. */
#ifndef SERVE_SECRETS_H
#define SERVE_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

#define SECRETS_NAME_BYTES 64u /* a token's name, with its NUL */

/* The files; NULL: not given. */
struct secret_files {
    const char *token, *certificate, *key;
};

/* Reads the files, and warns if all users may read them. False: one of them cannot be used;
 * message[SETTINGS_ERROR_BYTES] says why, and what was read before stays. */
bool secrets_read(const struct secret_files *files, char *message);
/* Returns true if the header Authorization (NULL: none) has a token, or if none is needed; `name`
 * is then the token's, or "". */
bool secrets_admit(const char *header, char name[SECRETS_NAME_BYTES]);
/* Shows the certificate to a client: a gnutls_certificate_retrieve_function3. */
int secrets_show(void *session, const void *info, void **certificates, unsigned *count,
                 void **statuses, unsigned *status_count, void **key, unsigned *flags);
void secrets_free(void);

#endif
