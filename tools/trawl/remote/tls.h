/* tls: TLS by GnuTLS, which is loaded when it is asked for: the command's connection to a server,
 * and what a server shows to its clients. */
#ifndef TRAWL_TLS_H
#define TRAWL_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* GnuTLS's defaults, without the versions that RFC 8996 forbids. */
#define TLS_VERSIONS "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1"

struct tls;

/* Begins TLS on a connected descriptor. The server's certificate must be for the host, a name or
 * an address, and from an authority that the system trusts, or one in the file that SSL_CERT_FILE
 * names (as for OpenSSL, curl and Python). False: message[SETTINGS_ERROR_BYTES] says why. */
bool tls_open(struct tls **tls, int descriptor, const char *host, char *message);
/* Like send and recv, but a failure is -1 or 0 without errno. */
ssize_t tls_send(struct tls *tls, const void *bytes, size_t bytes_count);
ssize_t tls_receive(struct tls *tls, void *bytes, size_t room);
void tls_close(struct tls *tls);

/* Checks a server's chain of certificates and private key, both in PEM. False:
 * message[SETTINGS_ERROR_BYTES] says why they cannot be used. */
bool tls_check(const char *chain, const char *key, char *message);
/* The last arguments of gnutls_certificate_retrieve_function3, which shall give a client the chain
 * and the key; GnuTLS frees what they get. Returns that function's result. */
int tls_show(const char *chain, const char *key, void **certificates, unsigned *count,
             void **private_key);

#endif
