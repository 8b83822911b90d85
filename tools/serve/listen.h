/* listen: opens the socket to which clients connect, and tells systemd about the server's state. */
#ifndef SERVE_LISTEN_H
#define SERVE_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

struct listener {
    int descriptor;
    bool is_unix;
    /* only this machine can reach the socket: a Unix socket, or a loopback address */
    bool is_loopback;
    /* HOST of --listen; "" for a Unix socket, and for a socket that systemd passed */
    char host[256];
    char shown[300]; /* unix:PATH or HOST:PORT, with the port that the kernel chose if PORT was 0 */
    /* Path, device and inode of the Unix socket that listen_close removes. "": none is removed. */
    char path[108];
    dev_t device;
    ino_t inode;
};

/* Opens the socket that systemd passed, if any, or else `address`: unix:PATH or HOST:PORT; NULL:
 * unix:$XDG_RUNTIME_DIR/trawl.sock. Changes the umask meanwhile, so the process must have a single
 * thread. Returns false on failure; message[SETTINGS_ERROR_BYTES] says why. The caller must always
 * call listen_close. */
bool listen_open(struct listener *listener, const char *address, char *message);
void listen_close(struct listener *listener);

/* Sends a state like "READY=1" to systemd, if the environment has NOTIFY_SOCKET. */
void listen_notify(const char *state);

#endif
