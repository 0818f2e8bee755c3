/* The driver's plan. */
#include "guest.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLAN_BYTES (64 * 1024)

static char text[PLAN_BYTES];
static struct line lines[LINES_MAX];
static int line_count;

static void take_line(char* from) {
    struct line* line = &lines[line_count];
    char* rest = NULL;

    for (char* word = strtok_r(from, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (line->count == WORDS_MAX)
            give_up("the plan has a line of more than %d words", WORDS_MAX);
        line->words[line->count++] = word;
    }
    if (line->count > 0 && ++line_count == LINES_MAX)
        give_up("the plan has more than %d lines", LINES_MAX - 1);
}

void plan_read(void) {
    const int file = open(RUN_FILE, O_RDONLY | O_CLOEXEC);
    const ssize_t bytes = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
    char* rest = NULL;

    if (bytes < 0 || bytes == (ssize_t)sizeof(text) - 1)
        give_up("the plan %s cannot be read", RUN_FILE);
    close(file);
    for (char* line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        take_line(line);
}

int plan_lines(void) {
    return line_count;
}

const struct line* plan_line(int index) {
    return &lines[index];
}

static const struct line* find(const char* name) {
    for (int i = 0; i < line_count; i++)
        if (strcmp(lines[i].words[0], name) == 0)
            return &lines[i];
    return NULL;
}

int plan_has(const char* name) {
    return find(name) != NULL;
}

const struct line* plan_find(const char* name) {
    const struct line* line = find(name);

    if (line != NULL)
        return line;
    give_up("the plan has no line '%s'", name);
}

uint64_t plan_number(const struct line* line, int word) {
    char* end = NULL;
    uint64_t value;

    if (word >= line->count)
        give_up("the plan's line '%s' has no word %d", line->words[0], word);
    value = strtoull(line->words[word], &end, 0);
    if (*end != '\0')
        give_up("in the plan's line '%s', '%s' is no number", line->words[0], line->words[word]);
    return value;
}
