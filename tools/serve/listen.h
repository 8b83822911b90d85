/* listen: the socket that clients connect to, and what systemd wants to hear. */
#ifndef SERVE_LISTEN_H
#define SERVE_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

struct listener {
    int descriptor;
    bool is_unix;
    bool is_loopback; /* a Unix socket, or TCP that only this machine reaches */
    char host[256];   /* as it was asked for: TCP alone, "" where systemd passed the socket */
    char shown[300];  /* unix:PATH or HOST:PORT, with the port that it has */
    /* The socket that listen_close removes; "": none. */
    char path[108];
    dev_t device;
    ino_t inode;
};

/* address: unix:PATH or HOST:PORT; NULL: unix:$XDG_RUNTIME_DIR/trawl.sock. A socket that systemd
 * passes comes first. False: message[SETTINGS_ERROR_BYTES] says why. listen_close in either case.
 * One thread alone: it changes the umask. */
bool listen_open(struct listener *listener, const char *address, char *message);
/* Remove the path of a Unix socket, if it is still this one. */
void listen_remove(struct listener *listener);
void listen_close(struct listener *listener);

/* Tell systemd, if it asked to be told: "READY=1". */
void listen_notify(const char *state);

#endif
