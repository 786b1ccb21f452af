/*
 * What a process costs on this host: `host COUNT PROGRAM ARG...` starts the program COUNT times by vfork and exec, one after
 * another, and prints the wall time in ms, the processor time in ms and the minor page faults of one start. Nothing that starts
 * programs can be cheaper: vfork copies no page tables, and this program has hardly any memory.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double ms_of(struct timeval time) {
  return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

/* Processor time of this process and of all it has waited for: what a start costs its starter belongs to its price. */
static double cpu_ms(void) {
  struct rusage self, children;
  getrusage(RUSAGE_SELF, &self);
  getrusage(RUSAGE_CHILDREN, &children);
  return ms_of(self.ru_utime) + ms_of(self.ru_stime) + ms_of(children.ru_utime) + ms_of(children.ru_stime);
}

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
  long count = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
  if (count < 1) {
    fprintf(stderr, "usage: host COUNT PROGRAM ARG...\n");
    return 2;
  }
  long faults = 0;
  double cpu = cpu_ms(), begun = now_ms();
  for (long n = 0; n < count; n++) {
    pid_t pid = vfork();
    if (pid == 0) {
      execv(argv[2], argv + 2);
      _exit(127);
    }
    int status;
    struct rusage usage;
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0) {
      fprintf(stderr, "%s cannot be started, or fails\n", argv[2]);
      return 1;
    }
    faults += usage.ru_minflt;
  }
  double wall = now_ms() - begun;
  printf("%.4f %.4f %.1f\n", wall / (double)count, (cpu_ms() - cpu) / (double)count, (double)faults / (double)count);
  return 0;
}
