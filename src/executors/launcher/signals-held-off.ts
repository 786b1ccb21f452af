/**
 * Imported before anything else by a process that outlives what asks others to end: a signal for a whole group, a session or a service is
 * for the step. SIGUSR1 would have Node open a debugger, in which anyone who can connect reads what is to be masked.
 */
// D55: no signal but SIGKILL ends the launcher, and one that does not answer is replaced
const HELD_OFF = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const

for (const signal of HELD_OFF) process.on(signal, () => {})
