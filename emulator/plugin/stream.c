/* The stream of records: one buffer for all vcpus, so that their order is kept. */
#include "plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define BUFFERED 2048

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct snapscope_stream_record buffer[BUFFERED];
static unsigned used;
static int file = -1;

bool stream_open(const char* path) {
    file = open(path, O_WRONLY | O_CLOEXEC);
    return file >= 0;
}

/* The lock is held.  A driver that is gone leaves nobody to run for. */
static void write_out(void) {
    const char* from = (const char*)buffer;
    size_t left = used * sizeof(buffer[0]);

    while (left > 0) {
        const ssize_t done = write(file, from, left);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            _exit(1);
        from += done;
        left -= (size_t)done;
    }
    used = 0;
}

void stream_put(const struct snapscope_stream_record* record) {
    pthread_mutex_lock(&lock);
    buffer[used++] = *record;
    if (used == BUFFERED)
        write_out();
    pthread_mutex_unlock(&lock);
}

void stream_flush(void) {
    pthread_mutex_lock(&lock);
    write_out();
    pthread_mutex_unlock(&lock);
}
