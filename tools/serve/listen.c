/* listen: opens the Unix or TCP socket on which the server listens, or takes the socket that
 * systemd passes. */
#include "serve/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "trawl/remote/connection.h"
#include "trawl/text/message.h"

#define PASSED_DESCRIPTOR 3 /* the first descriptor that systemd passes */
#define KIND (SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK)

static bool refuse(char *message, const char *what, const char *why)
{
    return message_fail(message, "--listen: %s: %s", what, why);
}

/* Removes a socket file on which no server listens. Returns false if a server listens, if the file
 * is not a socket, or if a system call fails; message says why. */
static bool remove_stale(const struct sockaddr_un *address, char *message)
{
    struct stat status;
    int probe, os_code;

    if (lstat(address->sun_path, &status) != 0)
        return errno == ENOENT || refuse(message, address->sun_path, strerror(errno));
    if (!S_ISSOCK(status.st_mode))
        return refuse(message, address->sun_path, "a file has this name and is no socket");
    probe = socket(AF_UNIX, KIND, 0);
    if (probe < 0)
        return refuse(message, address->sun_path, strerror(errno));
    os_code = connect(probe, (const struct sockaddr *)address, sizeof *address) == 0 ? 0 : errno;
    (void)close(probe);
    /* EAGAIN: a server listens, but cannot take further connections now */
    if (os_code == 0 || os_code == EAGAIN)
        return refuse(message, address->sun_path, "a server listens there already");
    if (os_code != ECONNREFUSED || unlink(address->sun_path) != 0)
        return refuse(message, address->sun_path, strerror(errno));
    return true;
}

/* Opens and locks the folder that contains the socket. Between bind and listen, a server's socket
 * looks abandoned; the lock keeps other servers from removing it meanwhile. Returns -1, without a
 * lock, if the folder cannot be opened. */
static int lock_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    int lock = folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    free(folder);
    while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
        ;
    return lock;
}

static bool bind_unix(struct listener *listener, const char *path, char *message)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat status;
    mode_t mask;
    bool good;

    strcpy(address.sun_path, path);
    if (!remove_stale(&address, message))
        return false;
    listener->descriptor = socket(AF_UNIX, KIND, 0);
    if (listener->descriptor < 0)
        return refuse(message, path, strerror(errno));
    mask = umask(077);
    good = bind(listener->descriptor, (struct sockaddr *)&address, sizeof address) == 0;
    (void)umask(mask);
    if (!good || lstat(path, &status) != 0)
        return refuse(message, path, strerror(errno));
    strcpy(listener->path, path);
    listener->device = status.st_dev;
    listener->inode = status.st_ino;
    return listen(listener->descriptor, SOMAXCONN) == 0 || refuse(message, path, strerror(errno));
}

static bool listen_unix(struct listener *listener, const char *path, char *message)
{
    bool good;
    int lock;

    if (*path == '\0' || strlen(path) >= sizeof listener->path)
        return refuse(message, path, "the path of a socket must have 1 to 107 bytes");
    lock = lock_folder(path);
    good = bind_unix(listener, path, message);
    if (lock >= 0)
        (void)close(lock);
    return good;
}

static bool listen_default(struct listener *listener, char *message)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    char path[sizeof listener->path + 1];

    if (folder == NULL || *folder != '/')
        return refuse(message, "no socket is named",
                      "XDG_RUNTIME_DIR is not set, so give --listen=unix:PATH");
    if (snprintf(path, sizeof path, "%s/trawl.sock", folder) >= (int)sizeof listener->path)
        return refuse(message, folder, "XDG_RUNTIME_DIR is too long: give --listen=unix:PATH");
    return listen_unix(listener, path, message);
}

/* Returns a descriptor that listens at the address, or -1; errno says why. */
static int listen_at(const struct addrinfo *found)
{
    int one = 1, os_code, descriptor = socket(found->ai_family, KIND, 0);

    if (descriptor < 0)
        return -1;
    (void)setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(descriptor, found->ai_addr, found->ai_addrlen) == 0 &&
        listen(descriptor, SOMAXCONN) == 0)
        return descriptor;
    os_code = errno;
    (void)close(descriptor);
    errno = os_code;
    return -1;
}

static bool listen_tcp(struct listener *listener, const char *address, char *message)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    const char *colon = strrchr(address, ':'), *host = address;
    size_t host_bytes = colon == NULL ? 0 : (size_t)(colon - address);
    struct addrinfo *found = NULL;
    int fault;

    if (host_bytes > 2 && host[0] == '[' && host[host_bytes - 1] == ']') {
        host++;
        host_bytes -= 2;
    }
    if (host_bytes == 0 || host_bytes >= sizeof listener->host || colon[1] == '\0')
        return refuse(message, address, "the address is neither unix:PATH nor HOST:PORT");
    if (connection_port_bytes(colon + 1) != strlen(colon + 1))
        return refuse(message, address, "the port is not a number from 0 to 65535");
    memcpy(listener->host, host, host_bytes);
    listener->host[host_bytes] = '\0';
    fault = getaddrinfo(listener->host, colon + 1, &hints, &found);
    if (fault != 0)
        return refuse(message, address,
                      fault == EAI_SYSTEM ? strerror(errno) : gai_strerror(fault));
    for (struct addrinfo *at = found; at != NULL && listener->descriptor < 0; at = at->ai_next)
        listener->descriptor = listen_at(at);
    freeaddrinfo(found);
    return listener->descriptor >= 0 || refuse(message, address, strerror(errno));
}

/* Sets *descriptor to the socket that systemd passed; leaves -1 if systemd passed none. Returns
 * false if systemd passed several sockets, or one that does not listen. */
static bool take_passed(int *descriptor, char *message)
{
    const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    int listens = 0;
    socklen_t bytes = sizeof listens;

    if (process == NULL || count == NULL || strtol(process, NULL, 10) != (long)getpid())
        return true;
    if (strcmp(count, "1") != 0)
        return refuse(message, "LISTEN_FDS", "systemd has to pass exactly one socket");
    *descriptor = PASSED_DESCRIPTOR;
    if (getsockopt(*descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes) != 0 || listens == 0)
        return refuse(message, "LISTEN_FDS", "descriptor 3 is not a listening socket");
    (void)fcntl(*descriptor, F_SETFD, FD_CLOEXEC);
    (void)fcntl(*descriptor, F_SETFL, fcntl(*descriptor, F_GETFL) | O_NONBLOCK);
    (void)unsetenv("LISTEN_PID");
    (void)unsetenv("LISTEN_FDS");
    return true;
}

static bool is_loopback(const struct sockaddr_storage *address)
{
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)address;
    const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)address;

    if (address->ss_family == AF_INET)
        return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    return address->ss_family == AF_INET6 &&
           (IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) ||
            (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) && six->sin6_addr.s6_addr[12] == 127));
}

/* Fills the members that describe the listening socket. */
static bool describe(struct listener *listener, char *message)
{
    struct sockaddr_storage address = {0};
    socklen_t bytes = sizeof address;
    char host[128], port[16];

    if (getsockname(listener->descriptor, (struct sockaddr *)&address, &bytes) != 0)
        return refuse(message, "the socket", strerror(errno));
    if (address.ss_family == AF_UNIX) {
        const struct sockaddr_un *local = (const struct sockaddr_un *)(const void *)&address;

        listener->is_unix = listener->is_loopback = true;
        (void)snprintf(listener->shown, sizeof listener->shown, "unix:%.*s",
                       (int)(bytes - offsetof(struct sockaddr_un, sun_path)), local->sun_path);
        return true;
    }
    listener->is_loopback = is_loopback(&address);
    if (getnameinfo((struct sockaddr *)&address, bytes, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return refuse(message, "the socket", "it is neither a Unix socket nor TCP");
    (void)snprintf(listener->shown, sizeof listener->shown,
                   address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return true;
}

bool listen_open(struct listener *listener, const char *address, char *message)
{
    memset(listener, 0, sizeof *listener);
    listener->descriptor = -1;
    if (!take_passed(&listener->descriptor, message))
        return false;
    if (listener->descriptor >= 0)
        return describe(listener, message);
    if (address == NULL)
        return listen_default(listener, message) && describe(listener, message);
    if (strncmp(address, "unix:", 5) == 0)
        return listen_unix(listener, address + 5, message) && describe(listener, message);
    return listen_tcp(listener, address, message) && describe(listener, message);
}

/* Removes the path of the Unix socket, unless another socket has taken its place. */
static void listen_remove(struct listener *listener)
{
    struct stat status;

    if (*listener->path != '\0' && lstat(listener->path, &status) == 0 &&
        status.st_dev == listener->device && status.st_ino == listener->inode)
        (void)unlink(listener->path);
    *listener->path = '\0';
}

void listen_close(struct listener *listener)
{
    listen_remove(listener);
    if (listener->descriptor >= 0)
        (void)close(listener->descriptor);
    listener->descriptor = -1;
}

void listen_notify(const char *state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    size_t bytes = path == NULL ? 0 : strlen(path);
    int descriptor;

    if (bytes < 2 || bytes >= sizeof address.sun_path || (*path != '/' && *path != '@'))
        return;
    memcpy(address.sun_path, path, bytes);
    if (*path == '@') /* a name in the abstract namespace begins with a NUL byte */
        address.sun_path[0] = '\0';
    descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return;
    (void)sendto(descriptor, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + bytes));
    (void)close(descriptor);
}
