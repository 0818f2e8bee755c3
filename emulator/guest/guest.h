/*
 * The program that is process 1 in the guest: starts the server, opens idle
 * connections, tells the plug-in where to look, runs the load, and switches the
 * machine off.  What it says to the driver goes to the second serial line, a
 * line of text at a time.
 */
#ifndef SNAPSCOPE_GUEST_H
#define SNAPSCOPE_GUEST_H

#include <stdint.h>
#include <sys/types.h>

#define RUN_FILE "/snapscope/run"
#define SERVER_UID 1000
#define WORDS_MAX 64
#define LINES_MAX 128
#define SOCKET_FOLDER "/tmp"
#define PORT "5432"

/* ---- say.c ---- */

void say_open(void);
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));
void say_output(const char* name, const char* text);
/* Says why, and switches off. */
void give_up(const char* format, ...) __attribute__((format(printf, 1, 2), noreturn));
void switch_off(void) __attribute__((noreturn));

/* ---- plan.c: the driver's file, a line an item, its words ---- */

struct line {
    char* words[WORDS_MAX + 1]; /* NULL behind the last */
    int count;
};

void plan_read(void);
int plan_lines(void);
const struct line* plan_line(int index);
/* The first line that begins with NAME, or gives up. */
const struct line* plan_find(const char* name);
int plan_has(const char* name);
uint64_t plan_number(const struct line* line, int word);

/* ---- channel.c: what the plug-in hears ---- */

void channel_open(void);
void channel_say(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* A read, a write and a locked operation on a page that is watched for it. */
void channel_self_test(void);

/* ---- server.c ---- */

pid_t server_start(void);
/* One connection, ready for queries; -1 while the server starts. */
int server_connect(void);
/* Runs the words of LINE from FIRST on as the server's account; its output goes to the driver. */
int server_load(const struct line* line, int first);

/* ---- events.c: the events of a patched server; nothing where it was not opened ---- */

void events_open(pid_t server);
void events_begin(void);
/* Tells the plug-in all events since the beginning. */
void events_end(void);

/* ---- ranges.c: finds the plan's structures in the server, says where they lie ---- */

void ranges_learn(pid_t server);
/* Waits until only IDLE connections are in the proc array: those of a load that ended leave late. */
void ranges_settle(uint64_t idle);

#endif
