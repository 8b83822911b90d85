/* tls: TLS by GnuTLS. */
#include "trawl/remote/tls.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>

#include "trawl/text/library.h"
#include "trawl/text/message.h"

/* As in gnutls/gnutls.h and gnutls/abstract.h: the ABI of libgnutls.so.30. */
#define CLIENT (1u << 1)
#define NO_SIGNAL (1u << 6)
#define PEM 1
#define OF_CERTIFICATES 1 /* a kind of credentials, and of certificates' status */
#define NAME_DNS 1
#define AGAIN (-28)
#define INTERRUPTED (-52)
/* what is received instead of TLS */
#define PLAIN_SHORT (-9)
#define PLAIN (-15)
#define ENDED (-110)
#define UNTRUSTED (-348)
#define CHAIN_MAX 16u

struct bytes {
    void *bytes;
    unsigned count;
};
struct certificate {
    void *key;
    struct bytes bytes;
    int kind;
};

#define FUNCTION_LIST(X)                                                                     \
    X(int, certificate_allocate_credentials, (void **))                                      \
    X(void, certificate_free_credentials, (void *))                                          \
    X(int, certificate_set_x509_system_trust, (void *))                                      \
    X(int, certificate_set_x509_trust_file, (void *, const char *, int))                     \
    X(int, certificate_set_x509_key_mem,                                                     \
      (void *, const struct bytes *, const struct bytes *, int))                             \
    X(int, certificate_verification_status_print, (unsigned, int, struct bytes *, unsigned)) \
    X(int, init, (void **, unsigned))                                                        \
    X(void, deinit, (void *))                                                                \
    X(int, priority_set_direct, (void *, const char *, const char **))                       \
    X(int, server_name_set, (void *, int, const void *, size_t))                             \
    X(void, session_set_verify_cert, (void *, const char *, unsigned))                       \
    X(unsigned, session_get_verify_cert_status, (void *))                                    \
    X(int, credentials_set, (void *, int, void *))                                           \
    X(void, transport_set_int2, (void *, int, int))                                          \
    X(int, handshake, (void *))                                                              \
    X(ssize_t, record_send, (void *, const void *, size_t))                                  \
    X(ssize_t, record_recv, (void *, void *, size_t))                                        \
    X(const char *, strerror, (int))                                                         \
    X(int, pcert_list_import_x509_raw,                                                       \
      (struct certificate *, unsigned *, const struct bytes *, int, unsigned))               \
    X(int, privkey_init, (void **))                                                          \
    X(int, privkey_import_x509_raw, (void *, const struct bytes *, int, const char *, unsigned))

LIBRARY("libgnutls.so.30", "gnutls_", FUNCTION_LIST);

struct tls {
    void *session, *credentials;
};

static bool load(char *message)
{
    return library_load(&library) ||
           message_fail(message, "TLS needs %s, which cannot be loaded", library.file);
}

/* Fails with what a function of the library says, without a full stop and blanks. */
static bool fail(char *message, const char *what, const char *why, size_t bytes)
{
    while (bytes > 0 && (why[bytes - 1] == '.' || why[bytes - 1] == ' '))
        bytes--;
    return message_fail(message, "%s%.*s", what, (int)bytes, why);
}

static bool fail_code(char *message, const char *what, int code)
{
    return fail(message, what, functions.strerror(code), strlen(functions.strerror(code)));
}

/* ---- The command's side --------------------------------------------------------------- */

/* Loads the authorities. False: message says why. */
static bool trust(struct tls *tls, char *message)
{
    const char *file = getenv("SSL_CERT_FILE");
    int count;

    if (file == NULL || *file == '\0') {
        (void)functions.certificate_set_x509_system_trust(tls->credentials);
        return true;
    }
    count = functions.certificate_set_x509_trust_file(tls->credentials, file, PEM);
    return count > 0 ||
           message_fail(message, "SSL_CERT_FILE: %.200s: no certificates in PEM", file);
}

/* Greets the server. False: message says why. */
static bool greet(struct tls *tls, char *message)
{
    struct bytes why = {NULL, 0};
    int code;

    do
        code = functions.handshake(tls->session);
    while (code == AGAIN || code == INTERRUPTED);
    if (code >= 0)
        return true;
    if (code == UNTRUSTED)
        (void)functions.certificate_verification_status_print(
            functions.session_get_verify_cert_status(tls->session), OF_CERTIFICATES, &why, 0);
    if (why.bytes != NULL)
        (void)fail(message, "TLS: ", why.bytes, strnlen(why.bytes, why.count));
    else
        (void)fail_code(message, "TLS: ", code);
    if (code == PLAIN_SHORT || code == PLAIN || code == ENDED)
        strcat(message, ": does the server speak plain HTTP (http://)?");
    free(why.bytes);
    return false;
}

bool tls_open(struct tls **opened, int descriptor, const char *host, char *message)
{
    uint8_t address[sizeof(struct in6_addr)];
    bool is_name =
        inet_pton(AF_INET, host, address) != 1 && inet_pton(AF_INET6, host, address) != 1;
    struct tls *tls;
    int code;

    *opened = NULL;
    if (!load(message))
        return false;
    tls = *opened = calloc(1, sizeof *tls);
    if (tls == NULL)
        return message_exhausted(message);
    code = functions.init(&tls->session, CLIENT | NO_SIGNAL);
    code = code < 0 ? code : functions.certificate_allocate_credentials(&tls->credentials);
    code = code < 0 ? code : functions.priority_set_direct(tls->session, TLS_VERSIONS, NULL);
    code = code < 0 ? code
                    : functions.credentials_set(tls->session, OF_CERTIFICATES, tls->credentials);
    if (code >= 0 && is_name)
        code = functions.server_name_set(tls->session, NAME_DNS, host, strlen(host));
    if (code < 0)
        return fail_code(message, "TLS: ", code);
    functions.session_set_verify_cert(tls->session, host, 0);
    functions.transport_set_int2(tls->session, descriptor, descriptor);
    return trust(tls, message) && greet(tls, message);
}

void tls_close(struct tls *tls)
{
    if (tls != NULL && tls->session != NULL)
        functions.deinit(tls->session);
    if (tls != NULL && tls->credentials != NULL)
        functions.certificate_free_credentials(tls->credentials);
    free(tls);
}

ssize_t tls_send(struct tls *tls, const void *bytes, size_t bytes_count)
{
    ssize_t sent;

    do
        sent = functions.record_send(tls->session, bytes, bytes_count);
    while (sent == AGAIN || sent == INTERRUPTED);
    return sent < 0 ? -1 : sent;
}

ssize_t tls_receive(struct tls *tls, void *bytes, size_t room)
{
    ssize_t got;

    do
        got = functions.record_recv(tls->session, bytes, room);
    while (got == AGAIN || got == INTERRUPTED);
    return got < 0 ? 0 : got;
}

/* ---- The server's side ---------------------------------------------------------------- */

static struct bytes bytes_of(const char *text)
{
    return (struct bytes){(void *)(uintptr_t)text, (unsigned)strlen(text)};
}

int tls_show(const char *chain, const char *key, void **certificates, unsigned *count,
             void **private_key)
{
    const struct bytes chain_bytes = bytes_of(chain), key_bytes = bytes_of(key);
    struct certificate *list = calloc(CHAIN_MAX, sizeof *list);
    int code = list == NULL ? -1 : 0;

    *count = CHAIN_MAX;
    *private_key = NULL;
    if (code == 0)
        code = functions.pcert_list_import_x509_raw(list, count, &chain_bytes, PEM, 0);
    if (code < 0)
        *count = 0;
    else
        code = functions.privkey_init(private_key);
    if (code >= 0)
        code = functions.privkey_import_x509_raw(*private_key, &key_bytes, PEM, NULL, 0);
    *certificates = list;
    return code < 0 ? code : 0;
}

bool tls_check(const char *chain, const char *key, char *message)
{
    const struct bytes chain_bytes = bytes_of(chain), key_bytes = bytes_of(key);
    void *credentials = NULL;
    int code;

    if (!load(message))
        return false;
    code = functions.certificate_allocate_credentials(&credentials);
    if (code >= 0)
        code = functions.certificate_set_x509_key_mem(credentials, &chain_bytes, &key_bytes, PEM);
    if (credentials != NULL)
        functions.certificate_free_credentials(credentials);
    return code >= 0 || fail_code(message, "", code);
}
