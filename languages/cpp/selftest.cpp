// assize-speed-ms: 100
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static int is_refused(void) {
    sockaddr_in away = {};
    away.sin_family = AF_INET;
    away.sin_port = htons(9);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    inet_pton(AF_INET, "192.0.2.1", &away.sin_addr);
    return fopen("/etc/passwd", "r") == NULL &&
           (fd < 0 || connect(fd, (sockaddr *)&away, sizeof away) != 0);
}

int main(void) {
    char word[32];
    volatile unsigned x = 1;
    if (scanf("%31s", word) != 1) {
        return 1;
    }
    if (strcmp(word, "time") == 0) {
        for (;;) {
            x = x * 1103515245u + 12345u;
        }
    }
    if (strcmp(word, "memory") == 0) {
        for (int i = 0; i < 300; i++) {
            memset(malloc(1 << 20), i + 1, 1 << 20);
        }
    }
    if (strcmp(word, "crash") == 0) {
        abort();
    }
    if (strcmp(word, "forbidden") == 0) {
        puts(is_refused() ? "refused" : "allowed");
        return 0;
    }
    if (strcmp(word, "speed") == 0) {
        for (int i = 0; i < 40000000; i++) {
            x = x * 1103515245u + 12345u;
        }
    }
    puts(word);
    return 0;
}
