/**
 * SIGUSR1 opens no debugger: everybody on the machine could connect to it, and be the engine. Node leaves the signal to a listener; until
 * there is one, in the first hundredth of a second, it obeys. Imported before anything else.
 */
// D490: a server logs SIGHUP, SIGUSR1 and SIGUSR2 and continues
if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', () => {})
