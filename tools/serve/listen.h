/* listen: opens the socket that clients connect to, and notifies systemd. */
#ifndef SERVE_LISTEN_H
#define SERVE_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

struct listener {
    int descriptor;
    bool is_unix;
    bool is_loopback; /* a Unix socket, or a TCP address that only this machine reaches */
    char host[256]; /* HOST of --listen; "" for Unix sockets and for a socket that systemd passed */
    char shown[300]; /* unix:PATH or HOST:PORT, with the port that the kernel chose if PORT was 0 */
    /* The Unix socket that listen_close removes: its path, device and inode. "": no socket is
     * removed. */
    char path[108];
    dev_t device;
    ino_t inode;
};

/* Opens the socket that systemd passed, if there is one, else `address`: unix:PATH or HOST:PORT;
 * NULL: unix:$XDG_RUNTIME_DIR/trawl.sock. False: message[SETTINGS_ERROR_BYTES] says why. The caller
 * has to call listen_close in either case. Changes the umask meanwhile, so the process must have a
 * single thread. */
bool listen_open(struct listener *listener, const char *address, char *message);
void listen_close(struct listener *listener);

/* Sends a state such as "READY=1" to systemd, if systemd set NOTIFY_SOCKET. */
void listen_notify(const char *state);

#endif
