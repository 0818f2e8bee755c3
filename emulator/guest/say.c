/* Lines to the driver. */
#include "guest.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <termios.h>
#include <unistd.h>

#define LINE_MAX_BYTES 1024

static int line = -1;

void say_open(void) {
    struct termios settings;

    line = open("/dev/ttyS1", O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (line >= 0 && tcgetattr(line, &settings) == 0) {
        cfmakeraw(&settings);
        tcsetattr(line, TCSANOW, &settings);
    }
}

static void put(const char* text, size_t bytes) {
    while (bytes > 0) {
        const ssize_t done = write(line, text, bytes);

        if (done <= 0)
            return;
        text += done;
        bytes -= (size_t)done;
    }
}

static void say_list(const char* format, va_list list) {
    char text[LINE_MAX_BYTES];
    int bytes = vsnprintf(text, sizeof(text) - 1, format, list);

    if (bytes < 0)
        return;
    if (bytes > (int)sizeof(text) - 2)
        bytes = (int)sizeof(text) - 2;
    text[bytes++] = '\n';
    put(text, (size_t)bytes);
}

void say(const char* format, ...) {
    va_list list;

    va_start(list, format);
    say_list(format, list);
    va_end(list);
}

void say_output(const char* name, const char* text) {
    while (*text != '\0') {
        const size_t bytes = strcspn(text, "\n");

        say("%s %.*s", name, (int)bytes, text);
        text += bytes + (text[bytes] == '\n' ? 1 : 0);
    }
}

/* The kernel's restart, which QEMU is told to take as the end. */
void switch_off(void) {
    if (line >= 0)
        tcdrain(line);
    sync();
    reboot(RB_AUTOBOOT);
    for (;;)
        pause();
}

void give_up(const char* format, ...) {
    char text[LINE_MAX_BYTES - 16];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    say("failed %s", text);
    switch_off();
}
