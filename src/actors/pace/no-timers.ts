/** The clock of XState's own timers, which are never used: machines wait by alarms only, so that a wait outlives a restart. */
export const noTimers = {
  setTimeout: () => {
    throw new Error('a chart used `after`: waits are alarms')
  },
  clearTimeout: () => {}
}
