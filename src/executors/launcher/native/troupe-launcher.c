/*
 * troupe-launcher FOLDER [--apart]: starts and holds the local steps of one engine, and outlives it.
 *
 * The engine keeps the other ends of its stdin and stdout, so that nobody else can command it. With `--apart` it goes on in a process
 * that is no descendant of the engine, and what it reads comes through file 3.
 * On stdin it reads
 *
 *   ping
 *   job JOB BYTES, followed by so many bytes: fields, each ended by a NUL (`read_job` has their order)
 *
 * and on stdout it reports
 *
 *   ready VERSION PID          of this protocol
 *   pong
 *   began JOB                  the record of the step's start is written
 *   ended JOB CODE SIGNALED    so is the record of its end; CODE is 128 + n when signal n has ended it
 *
 * A step costs one vfork: its child writes the record (`BOOT OFFSET` and the text of /proc/self/stat), opens the logs and becomes
 * the step, in a session of its own. Where secrets are masked or output is copied, filters stand between the step and its logs.
 *
 * Once a second it looks how far the logs have grown, and appends `SECOND BYTES` to `LOG.times`: all up to there was written by then.
 * A step that is over before it was looked at needs no such file, when it began with empty logs.
 *
 * It ends when the engine and all steps have ended. In its folder, which only its user may enter, `PID.pid` says that it is there,
 * and `PID.held` (pids, 32 bits each, 0: a free slot) which processes are steps: it is a subreaper, so that the daemons that steps
 * leave behind become its children too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VERSION "3"

/* Exit codes of a step that did not become its program; as shells have them, where they have any. */
enum { NO_FOLDER = 1, NO_LOG = 2, UNCOPIED = 74, TOO_LATE = 75, CLAIMED = 125, NOT_EXECUTED = 126, NOT_FOUND = 127 };
enum { ORDERS_FILENO = 3 };
enum { RETRY_MS = 100, READ_BYTES = 65536, NAME_BYTES = 64, REPORT_BYTES = 128, BUCKETS = 1024, SLOTS = 4096 };

struct job;

/* A process started here: a step, or a filter of one. */
struct child {
  pid_t pid;
  struct job *job;
  struct filter *filter; /* NULL: the step itself */
  struct child *next;    /* in its bucket */
};

/* A process between a step and its logs. */
struct filter {
  struct child child;
  int streams;   /* bits: 1 it reads stdout, 2 stderr; the first on fd 0, the second on fd 3 */
  char *order;   /* on its fd 4, before `.` at the end of the step; empty: it has no fd 4 */
  char *errors;  /* where its stderr is appended */
  long drain_ms; /* how long it may go on after the end of the step */
  const char *program;
  char **argv;
  char **notes; /* exit code (`*`: any but 0), what that adds to the record of a step that succeeded, which fails; ...; NULL */
  const char *note; /* the one that counts */
  bool is_over, is_killed;
  int order_fd; /* -1: none, or closed */
  char *unsent; /* of the order */
  size_t unsent_bytes;
};

/* A log of a step, and what is on record of when it was written. */
struct log {
  const char *path;
  off_t noted; /* bytes whose second is on record, or was before the step began */
  int64_t found_at; /* when what was there before the step was last written; 0: there was nothing, or it is on record */
};

struct job {
  struct child child;
  char *message; /* what all texts are in; without filters it is given up once the step has begun */
  size_t bytes;
  char *name, *state;
  const char *began, *cwd, *cgroup, *program; /* cgroup: that it enters; empty: none */
  struct log logs[2];
  int64_t began_at; /* seconds */
  bool is_noted; /* its logs have been looked at while it ran */
  char **argv, **env;
  mode_t mask;
  gid_t *groups; /* of the user it becomes: its own group, then the supplementary ones; NULL: it stays the launcher's user */
  size_t group_count;
  uid_t uid;
  int64_t limit; /* hundredths of a second since boot, after which it must not begin; 0: whenever */
  struct filter *filters;
  int count, live; /* filters; those that have not ended */
  size_t slot;
  bool is_ours; /* the record is: another engine may have begun the job, or kept it from beginning */
  bool is_over;
  int code, is_signaled;
  int64_t deadline; /* ms; of its filters, once it is over */
  struct job *next; /* among those that wait, or among those with filters */
};

static struct child *buckets[BUCKETS];
static size_t running; /* jobs that have begun and are not reported as ended */
static struct job *waiting, **waiting_end = &waiting;
static struct job *filtered;
static sigset_t inherited;
static int null_fd, ends_fd;

static void *allocated(void *memory) {
  if (memory == NULL) abort(); /* the next engine finds the steps by their records */
  return memory;
}

static int64_t now_ms(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (int64_t)at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

static int64_t second_now(void) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  return at.tv_sec;
}

/* ---- Reports: collected, and written when the loop comes round. */

static char *unreported;
static size_t report_bytes, report_room;
static bool is_heard = true;

__attribute__((format(printf, 1, 2))) static void report(const char *format, ...) {
  if (!is_heard) return;
  if (report_bytes + REPORT_BYTES > report_room) {
    report_room = (report_bytes + REPORT_BYTES) * 2;
    unreported = allocated(realloc(unreported, report_room));
  }
  va_list values;
  va_start(values, format);
  report_bytes += (size_t)vsnprintf(unreported + report_bytes, REPORT_BYTES, format, values);
  va_end(values);
}

/* An engine that does not read must not hold up the steps: what it does not take now, it gets later. */
static void flush(void) {
  size_t sent = 0;
  while (sent < report_bytes) {
    ssize_t bytes = write(STDOUT_FILENO, unreported + sent, report_bytes - sent);
    if (bytes >= 0) sent += (size_t)bytes;
    else if (errno == EAGAIN) break;
    else if (errno != EINTR) {
      is_heard = false;
      sent = report_bytes;
    }
  }
  report_bytes -= sent;
  memmove(unreported, unreported + sent, report_bytes);
}

/* ---- Which processes are steps, for the next engine. */

static int held_fd = -1;
static int32_t *held;
static size_t slots, free_from;

static void note_held(struct job *job) {
  while (free_from < slots && held[free_from] != 0) free_from++;
  if (free_from == slots) {
    /* Reserved, not only mapped: on a full disk the write would be a SIGBUS. */
    size_t bytes = slots * sizeof *held, more = (slots ? slots : SLOTS) * sizeof *held;
    if (held_fd < 0 || posix_fallocate(held_fd, (off_t)bytes, (off_t)more) != 0) return;
    void *map = mmap(NULL, bytes + more, PROT_READ | PROT_WRITE, MAP_SHARED, held_fd, 0);
    if (map == MAP_FAILED) return;
    if (held) munmap(held, bytes);
    held = map;
    slots = (bytes + more) / sizeof *held;
  }
  job->slot = free_from;
  held[free_from] = job->child.pid;
}

static void forget_held(const struct job *job) {
  if (job->slot == SIZE_MAX) return;
  held[job->slot] = 0;
  if (job->slot < free_from) free_from = job->slot;
}

/* ---- Children by pid. */

static void keep_child(struct child *child) {
  struct child **bucket = &buckets[child->pid % BUCKETS];
  child->next = *bucket;
  *bucket = child;
}

static struct child *take_child(pid_t pid) {
  for (struct child **at = &buckets[pid % BUCKETS]; *at; at = &(*at)->next) {
    struct child *child = *at;
    if (child->pid != pid) continue;
    *at = child->next;
    return child;
  }
  return NULL; /* a daemon that a step has left behind */
}

/* ---- Jobs as they go. */

// D41: nothing that may be secret stays in the memory of what lives on
static void give_up_texts(struct job *job) {
  if (!job->message) return;
  explicit_bzero(job->message, job->bytes);
  free(job->message);
  free(job->argv);
  free(job->env);
  job->message = NULL;
  job->argv = job->env = NULL;
}

/* Name, state and paths of logs are needed to the end, the rest is not. With filters it stays, but for variables, arguments and orders. */
static void keep_little(struct job *job) {
  if (job->count) {
    for (char **variable = job->env; *variable; variable++) explicit_bzero(*variable, strlen(*variable));
    for (char **word = job->argv; *word; word++) explicit_bzero(*word, strlen(*word));
    return;
  }
  const char *texts[] = {job->name, job->state, job->logs[0].path, job->logs[1].path};
  size_t bytes = 0, at[4];
  for (int index = 0; index < 4; index++) {
    at[index] = bytes;
    bytes += strlen(texts[index]) + 1;
  }
  char *kept = allocated(malloc(bytes));
  for (int index = 0; index < 4; index++) strcpy(kept + at[index], texts[index]);
  give_up_texts(job);
  job->message = job->name = kept;
  job->state = kept + at[1];
  for (int index = 0; index < 2; index++) job->logs[index].path = kept + at[2 + index];
  job->bytes = bytes;
}

static void forget(struct job *job) {
  give_up_texts(job);
  for (int index = 0; index < job->count; index++) {
    free(job->filters[index].argv);
    free(job->filters[index].notes);
  }
  free(job->filters);
  free(job->groups);
  free(job);
}

/* ---- Jobs as they come. */

struct fields {
  char *at, *end;
  bool is_broken;
};

static char *text(struct fields *fields) {
  static char none[1];
  char *found = fields->at, *nul = fields->at < fields->end ? memchr(found, 0, (size_t)(fields->end - found)) : NULL;
  if (!nul) {
    fields->is_broken = true;
    return none;
  }
  fields->at = nul + 1;
  return found;
}

static long number(struct fields *fields, int base) { return strtol(text(fields), NULL, base); }

/* Their count, then the texts. */
static char **texts(struct fields *fields) {
  size_t count = (size_t)number(fields, 10);
  if (count > (size_t)(fields->end - fields->at)) {
    fields->is_broken = true;
    count = 0;
  }
  char **list = allocated(malloc((count + 2) * sizeof *list)); /* one to spare: see `execute` */
  for (size_t index = 0; index < count; index++) list[index] = text(fields);
  list[count] = NULL;
  return list;
}

/* `UID GID GROUP,GROUP,...`; empty: nobody else. */
static void read_user(struct job *job, const char *user) {
  if (!*user) return;
  char *at;
  job->uid = (uid_t)strtoul(user, &at, 10);
  job->groups = allocated(malloc((strlen(at) + 1) * sizeof *job->groups)); /* a digit each, at least */
  for (char *from = at; *from && (*from == ' ' || *from == ','); from = at) {
    gid_t group = (gid_t)strtoul(from + 1, &at, 10);
    if (at == from + 1) break;
    job->groups[job->group_count++] = group;
  }
}

/* NULL: it is no job. */
static struct job *read_job(const char *name, const char *message, size_t bytes) {
  size_t name_bytes = strlen(name) + 1;
  struct job *job = allocated(calloc(1, sizeof *job));
  job->bytes = name_bytes + bytes;
  job->message = allocated(malloc(job->bytes));
  job->name = memcpy(job->message, name, name_bytes);
  memcpy(job->message + name_bytes, message, bytes);
  struct fields fields = {job->message + name_bytes, job->message + job->bytes, false};
  job->child.job = job;
  job->slot = SIZE_MAX;
  job->state = text(&fields);
  job->began = text(&fields);
  for (int index = 0; index < 2; index++) job->logs[index].path = text(&fields);
  job->cwd = text(&fields);
  job->mask = (mode_t)number(&fields, 8);
  job->limit = number(&fields, 10);
  read_user(job, text(&fields));
  job->cgroup = text(&fields);
  job->program = text(&fields);
  job->argv = texts(&fields);
  job->env = texts(&fields);
  job->count = (int)number(&fields, 10);
  if (job->count < 0 || job->count > 2) {
    fields.is_broken = true;
    job->count = 0;
  }
  job->filters = job->count ? allocated(calloc((size_t)job->count, sizeof *job->filters)) : NULL;
  for (int index = 0; index < job->count; index++) {
    struct filter *filter = &job->filters[index];
    filter->child.job = job;
    filter->child.filter = filter;
    filter->order_fd = -1;
    filter->streams = (int)number(&fields, 10);
    filter->order = text(&fields);
    filter->errors = text(&fields);
    filter->drain_ms = number(&fields, 10);
    filter->program = text(&fields);
    filter->argv = texts(&fields);
    filter->notes = texts(&fields);
  }
  if (!fields.is_broken && *job->argv) return job;
  forget(job);
  return NULL;
}

/* ---- The child: it shares the memory of the launcher, which stands still until the child has become another program. */

static volatile bool has_begun;

static _Noreturn void execute(const char *program, char **argv, char **env) {
  sigprocmask(SIG_SETMASK, &inherited, NULL);
  execve(program, argv, env);
  if (errno == ENOEXEC) { /* a script without a first line that names its interpreter: a shell's */
    size_t count = 0;
    while (argv[count]) count++;
    memmove(argv + 2, argv + 1, count * sizeof *argv);
    argv[0] = (char *)"sh";
    argv[1] = (char *)program;
    execve("/bin/sh", argv, env);
  }
  int code = errno == ENOENT || errno == ENOTDIR ? NOT_FOUND : NOT_EXECUTED;
  dprintf(STDERR_FILENO, "%s cannot be executed: %s\n", argv[0], strerror(errno));
  _exit(code);
}

static int appended(const char *path) { return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600); }

// D6: two engines never run one job, so the record must be ours
/* Makes a session, and the record. In it the session is still the launcher's. */
static bool record_start(const struct job *job) {
  char stat[1024];
  int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  ssize_t bytes = file < 0 ? -1 : read(file, stat, sizeof stat);
  if (bytes <= 0) return false;
  close(file);
  setsid();
  char record[sizeof stat + 128];
  int length = snprintf(record, sizeof record, "%s %.*s", job->began, (int)bytes, stat);
  file = open(job->state, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || length < 0 || (size_t)length >= sizeof record) return false;
  bool is_whole = write(file, record, (size_t)length) == length;
  close(file);
  return is_whole;
}

/* What a child is to become, with what it needs of the pipes; -1: none. */
struct start {
  struct job *job;
  const struct filter *filter;
  int out[2], err[2], order[2];
};

/* By the clock that counts sleep: a machine that was frozen meanwhile must not begin what is taken for ended. */
static bool is_late(const struct job *job) {
  struct timespec at;
  if (job->limit == 0) return false;
  clock_gettime(CLOCK_BOOTTIME, &at);
  return (int64_t)at.tv_sec * 100 + at.tv_nsec / 10000000 >= job->limit;
}

/* An earlier execution has written to it, or the disk does not say so. */
static void find_log(struct log *log, int file) {
  struct stat found;
  if (fstat(file, &found) != 0 || found.st_size == 0) return;
  log->noted = found.st_size;
  log->found_at = found.st_mtime;
}

/* By system calls: those of the library would look for the threads of the launcher, whose memory this still is. */
static bool become_user(const struct job *job) {
  gid_t own = job->groups[0];
  return syscall(SYS_setgroups, job->group_count - 1, job->groups + 1) == 0 &&
         syscall(SYS_setresgid, own, own, own) == 0 && syscall(SYS_setresuid, job->uid, job->uid, job->uid) == 0;
}

static bool enter_group(const char *folder) {
  char path[PATH_MAX];
  if ((size_t)snprintf(path, sizeof path, "%s/cgroup.procs", folder) >= sizeof path) return false;
  int file = open(path, O_WRONLY | O_CLOEXEC);
  bool is_in = file >= 0 && write(file, "0", 1) == 1; /* who writes it */
  if (file >= 0) close(file);
  return is_in;
}

/* A log or a pipe of ours; devices are for everybody. It works without. */
static void lend(int file, const struct job *job) {
  struct stat found;
  if (fstat(file, &found) != 0 || S_ISCHR(found.st_mode)) return;
  int failed = fchown(file, job->uid, job->groups[0]);
  (void)failed;
}

static int become_step(void *argument) {
  const struct start *start = argument;
  struct job *job = start->job;
  close(ends_fd); /* with as many files open as there may be, these two make room for the two logs */
  close(held_fd);
  if (!record_start(job)) _exit(CLAIMED);
  has_begun = true;
  int out = appended(job->logs[0].path), err = appended(job->logs[1].path);
  if (out < 0 || err < 0) _exit(NO_LOG);
  find_log(&job->logs[0], out);
  find_log(&job->logs[1], err);
  dup2(null_fd, STDIN_FILENO);
  dup2(start->out[1] < 0 ? out : start->out[1], STDOUT_FILENO);
  dup2(start->err[1] < 0 ? err : start->err[1], STDERR_FILENO);
  umask(job->mask);
  if (is_late(job)) {
    dprintf(STDERR_FILENO, "not begun: nothing has been heard of the engine for too long\n");
    _exit(TOO_LATE);
  }
  if (*job->cgroup && !enter_group(job->cgroup)) {
    dprintf(STDERR_FILENO, "the cgroup %s cannot be entered: %s\n", job->cgroup, strerror(errno));
    _exit(NOT_EXECUTED);
  }
  if (job->groups) {
    /* So that it may open them again, as `/dev/stderr`. */
    lend(STDOUT_FILENO, job);
    lend(STDERR_FILENO, job);
    if (!become_user(job)) {
      dprintf(STDERR_FILENO, "the user %u cannot be taken on: %s\n", (unsigned)job->uid, strerror(errno));
      _exit(NOT_EXECUTED);
    }
  }
  if (chdir(job->cwd) != 0) {
    dprintf(STDERR_FILENO, "the working directory %s cannot be entered\n", job->cwd);
    _exit(NO_FOLDER);
  }
  execute(job->program, job->argv, job->env);
}

static int become_filter(void *argument) {
  const struct start *start = argument;
  const struct filter *filter = start->filter;
  int err = appended(filter->errors);
  dup2(null_fd, STDOUT_FILENO);
  dup2(err < 0 ? null_fd : err, STDERR_FILENO);
  dup2(filter->streams & 1 ? start->out[0] : start->err[0], STDIN_FILENO);
  if (filter->streams == 3) dup2(start->err[0], 3);
  if (start->order[0] >= 0) dup2(start->order[0], 4);
  execute(filter->program, filter->argv, environ);
}

/* ---- Starting. */

/* `vfork`, by the system call: that of musl is a plain fork on some processors. */
static pid_t start_child(int (*become)(void *), struct start *start) {
  static _Alignas(64) char stack[65536];
  return clone(become, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, start);
}

/* Above all numbers that a filter has its own files at. */
static bool make_pipe(int pipe_fds[2]) {
  enum { LOWEST = 16 };
  int low[2];
  if (pipe2(low, O_CLOEXEC) != 0) return false;
  for (int end = 0; end < 2; end++) {
    pipe_fds[end] = fcntl(low[end], F_DUPFD_CLOEXEC, LOWEST);
    close(low[end]);
  }
  return pipe_fds[0] >= 0 && pipe_fds[1] >= 0;
}

static void close_pipe(int pipe_fds[2]) {
  for (int end = 0; end < 2; end++) {
    if (pipe_fds[end] >= 0) close(pipe_fds[end]);
    pipe_fds[end] = -1;
  }
}

/* Something of its order, or the end of the step. */
static bool is_owed(const struct filter *filter) {
  return filter->order_fd >= 0 && (filter->unsent_bytes > 0 || filter->child.job->is_over);
}

static void send_order(struct filter *filter) {
  while (filter->unsent_bytes > 0) {
    ssize_t bytes = write(filter->order_fd, filter->unsent, filter->unsent_bytes);
    if (bytes < 0 && errno == EAGAIN) return;
    if (bytes < 0 && errno == EINTR) continue;
    size_t sent = bytes < 0 ? filter->unsent_bytes : (size_t)bytes; /* it is gone: it needs no order */
    explicit_bzero(filter->unsent, sent);
    filter->unsent += sent;
    filter->unsent_bytes -= sent;
  }
  if (!filter->child.job->is_over || filter->order_fd < 0) return;
  if (write(filter->order_fd, ".", 1) < 0 && errno == EAGAIN) return;
  close(filter->order_fd);
  filter->order_fd = -1;
}

static bool start_filter(struct filter *filter, struct start *start) {
  int *order = start->order;
  order[0] = order[1] = -1;
  start->filter = filter;
  bool is_ready = !*filter->order || make_pipe(order);
  pid_t pid = is_ready ? start_child(become_filter, start) : -1;
  if (pid < 0) {
    close_pipe(order);
    return false;
  }
  filter->child.pid = pid;
  filter->child.job->live++;
  keep_child(&filter->child);
  if (order[0] < 0) return true;
  close(order[0]);
  fcntl(order[1], F_SETFL, O_NONBLOCK);
  filter->order_fd = order[1];
  filter->unsent = filter->order;
  filter->unsent_bytes = strlen(filter->order);
  return true;
}

/* Nothing has begun: those that have been started go, and nobody waits for them. */
static void stop_filters(struct job *job) {
  for (int index = 0; index < job->count; index++) {
    struct filter *filter = &job->filters[index];
    if (filter->child.pid == 0) continue;
    kill(filter->child.pid, SIGKILL);
    if (filter->order_fd >= 0) close(filter->order_fd);
    take_child(filter->child.pid);
    filter->child.pid = 0;
    filter->order_fd = -1;
  }
  job->live = 0;
}

/* False: there are too many processes or files; it is tried again when one has ended. */
static bool start_job(struct job *job) {
  struct start start = {.job = job, .out = {-1, -1}, .err = {-1, -1}, .order = {-1, -1}};
  int streams = 0;
  bool is_started = true;
  for (int index = 0; index < job->count; index++) streams |= job->filters[index].streams;
  if ((streams & 1 && !make_pipe(start.out)) || (streams & 2 && !make_pipe(start.err))) is_started = false;
  for (int index = 0; is_started && index < job->count; index++) is_started = start_filter(&job->filters[index], &start);
  has_begun = false;
  pid_t pid = is_started ? start_child(become_step, &start) : -1;
  close_pipe(start.out);
  close_pipe(start.err);
  if (pid < 0) {
    stop_filters(job);
    return false;
  }
  job->child.pid = pid;
  keep_child(&job->child);
  note_held(job);
  job->began_at = second_now();
  running++;
  job->is_ours = has_begun;
  if (has_begun) report("began %s\n", job->name);
  keep_little(job);
  if (job->count) {
    for (int index = 0; index < job->count; index++) send_order(&job->filters[index]);
    job->next = filtered;
    filtered = job;
  }
  return true;
}

static void start_waiting(void) {
  while (waiting) {
    struct job *job = waiting, *next = job->next;
    if (!start_job(job)) return;
    waiting = next;
    if (!next) waiting_end = &waiting;
  }
}

static void add(struct job *job) {
  *waiting_end = job;
  waiting_end = &job->next;
  start_waiting();
}

/* ---- When logs were written. */

static void note_log(struct log *log, int64_t second, off_t size) {
  char path[PATH_MAX], lines[128];
  if ((size_t)snprintf(path, sizeof path, "%s.times", log->path) >= sizeof path) return;
  int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
  if (file < 0) return; /* its folder was removed, or the disk is full: the next look tries again */
  int bytes = 0;
  if (log->found_at) bytes = snprintf(lines, sizeof lines, "%010lld %lld\n", (long long)log->found_at, (long long)log->noted);
  bytes += snprintf(lines + bytes, sizeof lines - (size_t)bytes, "%010lld %lld\n", (long long)second, (long long)size);
  if (write(file, lines, (size_t)bytes) == bytes) {
    log->noted = size;
    log->found_at = 0;
  }
  close(file);
}

/* `latest`: the second that what is new was written in at the latest, whatever the disk says of it. */
static void note_job(struct job *job, int64_t latest) {
  for (int index = 0; index < 2; index++) {
    struct log *log = &job->logs[index];
    struct stat found;
    if (stat(log->path, &found) != 0 || !S_ISREG(found.st_mode) || found.st_size == log->noted) continue;
    int64_t second = found.st_mtime < latest ? found.st_mtime : latest;
    note_log(log, second > job->began_at ? second : job->began_at, found.st_size);
  }
}

// D1251: this process outlives the engine, so there is no gap
/* In the first moment of a second, what is new counts for the one that has ended: nearly all of it was written then. */
static void note_all(void) {
  enum { MOMENT_NS = 100000000 };
  static int64_t looked_at;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec == looked_at) return;
  int64_t latest = now.tv_nsec < MOMENT_NS ? now.tv_sec - 1 : now.tv_sec;
  looked_at = now.tv_sec;
  for (int bucket = 0; running > 0 && bucket < BUCKETS; bucket++)
    for (struct child *child = buckets[bucket]; child; child = child->next) {
      if (child->filter || child->job->began_at == now.tv_sec) continue;
      child->job->is_noted = true;
      note_job(child->job, latest);
    }
}

/* ms until the next second. */
static int next_second(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int)(1000 - now.tv_nsec / 1000000);
}

/* ---- Ending. */

static void append_to(const char *path, const char *line) {
  int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return; /* it was removed with its folder */
  size_t bytes = strlen(line);
  ssize_t written = write(file, line, bytes);
  (void)written; /* on a full disk only the engine hears of it */
  close(file);
}

static void conclude(struct job *job) {
  char line[64];
  snprintf(line, sizeof line, "%d %d\n", job->code, job->is_signaled);
  if (job->is_ours) append_to(job->state, line);
  /* Before its end is reported: who hears of it may read the logs. */
  if (job->is_ours && (job->is_noted || job->logs[0].found_at || job->logs[1].found_at)) note_job(job, second_now());
  report("ended %s %d %d\n", job->name, job->code, job->is_signaled);
  for (struct job **at = &filtered; job->count && *at; at = &(*at)->next)
    if (*at == job) {
      *at = job->next;
      break;
    }
  running--;
  forget(job);
}

// D5: as shells tell them
static void step_ended(struct job *job, int status) {
  int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  job->is_over = true;
  job->code = signal ? 128 + signal : WEXITSTATUS(status);
  job->is_signaled = signal && signal != SIGINT && signal != SIGPIPE;
  forget_held(job);
  if (job->is_ours && job->live > 0) {
    // D1623: what reads its output may take long, and who kills this process meanwhile must not take the end with it
    char line[64];
    snprintf(line, sizeof line, "seen %d %d\n", job->code, job->is_signaled);
    append_to(job->state, line);
  }
  job->deadline = now_ms();
  long most = 0;
  for (int index = 0; index < job->count; index++) {
    if (job->filters[index].drain_ms > most) most = job->filters[index].drain_ms;
    send_order(&job->filters[index]);
  }
  job->deadline += most;
}

static void filter_ended(struct filter *filter, int status) {
  struct job *job = filter->child.job;
  filter->is_over = true;
  job->live--;
  if (filter->order_fd >= 0) close(filter->order_fd);
  filter->order_fd = -1;
  filter->unsent_bytes = 0;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code == 0 || filter->is_killed) return;
  for (char **note = filter->notes; note[0] && !filter->note; note += 2)
    if (strcmp(note[0], "*") == 0 || atoi(note[0]) == code) filter->note = note[1];
}

/* A step that succeeded fails when a file did not get its copy, and its record says which. */
static void add_note(struct job *job) {
  for (int index = 0; index < job->count && job->code == 0; index++) {
    if (!job->filters[index].note) continue;
    append_to(job->state, job->filters[index].note);
    job->code = UNCOPIED;
  }
}

static void reap(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    struct child *child = take_child(pid);
    if (!child) continue;
    if (child->filter) filter_ended(child->filter, status);
    else step_ended(child->job, status);
    if (!child->job->is_over || child->job->live > 0) continue;
    add_note(child->job);
    conclude(child->job);
  }
}

/* ---- The loop. */

static char *input;
static size_t input_bytes, input_room;

/* Acts on all that is there whole. False: the engine has gone, or says what none of ours does; what runs is held all the same. */
static bool listen_to_engine(void) {
  if (input_bytes + READ_BYTES > input_room) {
    char *larger = allocated(malloc(input_room = (input_bytes + READ_BYTES) * 2));
    if (input_bytes) memcpy(larger, input, input_bytes);
    if (input) explicit_bzero(input, input_bytes);
    free(input);
    input = larger;
  }
  ssize_t bytes = read(STDIN_FILENO, input + input_bytes, input_room - input_bytes - 1);
  if (bytes < 0) return errno == EAGAIN || errno == EINTR;
  if (bytes == 0) return false;
  input_bytes += (size_t)bytes;
  size_t done = 0;
  for (char *line_end; (line_end = memchr(input + done, '\n', input_bytes - done));) {
    char *line = input + done, *blank;
    size_t head = (size_t)(line_end + 1 - line);
    if (strncmp(line, "ping\n", head) == 0) {
      report("pong\n");
      done += head;
      continue;
    }
    if (head < 6 || strncmp(line, "job ", 4) != 0 || !(blank = memchr(line + 4, ' ', head - 4))) return false;
    size_t length = strtoul(blank + 1, NULL, 10);
    if (length > input_bytes - done - head) break; /* the rest is still to come */
    *blank = '\0';
    struct job *job = blank - line - 4 < NAME_BYTES ? read_job(line + 4, line + head, length) : NULL;
    if (!job) return false;
    add(job);
    done += head + length;
  }
  memmove(input, input + done, input_bytes - done);
  explicit_bzero(input + input_bytes - done, done);
  input_bytes -= done;
  if (input_bytes == 0 && input_room > 4 * READ_BYTES) {
    free(input);
    input = NULL;
    input_room = 0;
  }
  return true;
}

/* Kills filters that are late. Returns when the next one will be, ms; -1: none. */
static int end_late_filters(void) {
  int64_t next = -1, now = now_ms();
  for (struct job *job = filtered; job; job = job->next) {
    if (!job->is_over) continue;
    int64_t left = job->deadline - now;
    for (int index = 0; left <= 0 && index < job->count; index++) {
      struct filter *filter = &job->filters[index];
      if (filter->is_over || filter->is_killed) continue;
      filter->is_killed = true;
      kill(filter->child.pid, SIGKILL);
    }
    if (left > 0 && (next < 0 || left < next)) next = left;
  }
  return (int)next;
}

static void serve(void) {
  bool is_listening = true;
  static struct pollfd *polled;
  static size_t room;
  while (is_listening || running > 0) {
    int timeout = end_late_filters();
    if (waiting && (timeout < 0 || timeout > RETRY_MS)) timeout = RETRY_MS;
    int second = running > 0 ? next_second() : -1;
    if (second >= 0 && (timeout < 0 || timeout > second)) timeout = second;
    size_t count = 3;
    for (struct job *job = filtered; job; job = job->next) count += 2;
    if (count > room) polled = allocated(realloc(polled, (room = count * 2) * sizeof *polled));
    polled[0] = (struct pollfd){.fd = ends_fd, .events = POLLIN};
    polled[1] = (struct pollfd){.fd = is_listening ? STDIN_FILENO : -1, .events = POLLIN};
    polled[2] = (struct pollfd){.fd = report_bytes ? STDOUT_FILENO : -1, .events = POLLOUT};
    count = 3;
    for (struct job *job = filtered; job; job = job->next)
      for (int index = 0; index < job->count; index++)
        if (is_owed(&job->filters[index]))
          polled[count++] = (struct pollfd){.fd = job->filters[index].order_fd, .events = POLLOUT};
    poll(polled, count, timeout); /* when it fails, all is looked at again */
    if (count > 3)
      for (struct job *job = filtered; job; job = job->next)
        for (int index = 0; index < job->count; index++)
          if (is_owed(&job->filters[index])) send_order(&job->filters[index]);
    struct signalfd_siginfo told;
    while (polled[0].revents && read(ends_fd, &told, sizeof told) > 0) continue;
    note_all();
    reap();
    if (polled[1].revents) is_listening = listen_to_engine();
    if (!is_listening) waiting = NULL; /* the next engine begins what has not begun */
    start_waiting();
    flush();
  }
}

static char pid_path[32], held_path[32];

static int own_file(char path[static 32], const char *suffix, int flags) {
  snprintf(path, sizeof pid_path, "%d.%s", getpid(), suffix);
  return open(path, flags | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

/* D1611: a step can read the environment of its ancestors, and the engine's, with its credentials, must not be among them. */
static void leave_engine(void) {
  pid_t pid;
  while ((pid = fork()) < 0) poll(NULL, 0, RETRY_MS);
  if (pid > 0) _exit(0);
  setsid();
  if (dup2(ORDERS_FILENO, STDIN_FILENO) < 0) _exit(1);
  close(ORDERS_FILENO);
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--version") == 0) {
    puts("troupe-launcher " VERSION);
    return 0;
  }
  bool is_apart = argc == 3 && strcmp(argv[2], "--apart") == 0;
  if ((argc != 2 && !is_apart) || chdir(argv[1]) != 0) {
    fputs("usage: troupe-launcher FOLDER [--apart]. The engine starts it: see docs/reliability.md\n", stderr);
    return 2;
  }
  if (is_apart) leave_engine();
  /* A signal that ended this process would take from all steps the one that records their ends; so would a limit of file sizes. */
  sigset_t blocked, child_ends;
  sigfillset(&blocked);
  sigprocmask(SIG_BLOCK, &blocked, &inherited);
  umask(077);
  null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  sigemptyset(&child_ends);
  sigaddset(&child_ends, SIGCHLD);
  ends_fd = signalfd(-1, &child_ends, SFD_NONBLOCK | SFD_CLOEXEC);
  if (null_fd < 0 || ends_fd < 0) return 1;
  int pid_fd = own_file(pid_path, "pid", O_WRONLY); /* it works without both files, as on a full disk */
  if (pid_fd >= 0) dprintf(pid_fd, "%d\n", getpid());
  if (pid_fd >= 0) close(pid_fd);
  held_fd = own_file(held_path, "held", O_RDWR);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
  report("ready " VERSION " %d\n", getpid());
  flush();
  serve();
  unlink(pid_path);
  unlink(held_path);
  return 0;
}
