/* The server and its load, as its account. */
#include "guest.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX (64 * 1024)

/* In the child: becomes the program. */
static void become(char* const* words) {
    char* const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "HOME=/tmp", NULL};

    if (setgroups(0, NULL) != 0 || setgid(SERVER_UID) != 0 || setuid(SERVER_UID) != 0)
        _exit(126);
    execve(words[0], words, environment);
    fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
    _exit(127);
}

pid_t server_start(void) {
    const struct line* line = plan_find("server");
    const pid_t pid = fork();

    if (pid == 0) {
        setsid();
        become(line->words + 1);
    }
    if (pid < 0)
        give_up("no process for the server");
    return pid;
}

static int connect_socket(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s/.s.PGSQL.%s", SOCKET_FOLDER, PORT);
    if (fd >= 0 && connect(fd, (struct sockaddr*)&address, sizeof(address)) == 0)
        return fd;
    close(fd);
    return -1;
}

static int read_whole(int fd, void* to, size_t bytes) {
    for (char* at = to; bytes > 0;) {
        const ssize_t got = read(fd, at, bytes);

        if (got <= 0)
            return 0;
        at += got;
        bytes -= (size_t)got;
    }
    return 1;
}

/* Messages up to "ready for query"; an error is one that says so. */
static int wait_ready(int fd) {
    for (;;) {
        struct {
            char type;
            uint32_t bytes;
        } __attribute__((packed)) head;
        char skipped[4096];

        if (!read_whole(fd, &head, sizeof(head)) || head.type == 'E')
            return 0;
        for (size_t left = ntohl(head.bytes) - 4; left > 0;) {
            const size_t part = left < sizeof(skipped) ? left : sizeof(skipped);

            if (!read_whole(fd, skipped, part))
                return 0;
            left -= part;
        }
        if (head.type == 'Z')
            return 1;
    }
}

int server_connect(void) {
    static const char words[] = "user\0postgres\0database\0postgres\0"; /* and the literal's own end */
    struct {
        uint32_t bytes, protocol;
        char words[sizeof(words)];
    } packet = {htonl(8 + sizeof(words)), htonl(3 << 16), {0}};
    const int fd = connect_socket();

    if (fd < 0)
        return -1;
    memcpy(packet.words, words, sizeof(words));
    if (write(fd, &packet, 8 + sizeof(words)) == (ssize_t)(8 + sizeof(words)) && wait_ready(fd))
        return fd;
    close(fd);
    return -1;
}

int server_load(const struct line* line, int first) {
    static char output[OUTPUT_MAX];
    size_t used = 0;
    int ends[2];
    int status = 0;
    pid_t pid;

    if (pipe(ends) != 0 || (pid = fork()) < 0)
        give_up("no process for the load");
    if (pid == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        become(line->words + first);
    }
    close(ends[1]);
    for (;;) {
        char dropped[4096];
        const size_t room = sizeof(output) - 1 - used;
        const ssize_t got = room > 0 ? read(ends[0], output + used, room) : read(ends[0], dropped, sizeof(dropped));

        if (got <= 0)
            break;
        used += room > 0 ? (size_t)got : 0;
    }
    close(ends[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    output[used] = '\0';
    say_output("load", output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
