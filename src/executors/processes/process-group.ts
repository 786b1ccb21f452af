/** Signals to a step's whole process group, and the names of signals. Source: execution-semantics 4.1.9, 7.3. */
import { constants } from 'node:os'
import { isAlive, type ProcessIdentity } from '../../platform/process-identity.ts'

/**
 * Sends a signal to the group that the process leads. The leader must live, and be that very process. One that has just
 * begun may have no group of its own yet: then it is alone, and gets the signal itself.
 */
export function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): boolean {
  return isAlive(leader) && (signalOrphans(leader, signal) || send(leader.pid, signal))
}

/** Signals a group whose leader has just ended: what it left behind keeps the group's id from being given to others. */
export const signalOrphans = ({ pid }: ProcessIdentity, signal: NodeJS.Signals | 0): boolean => send(-pid, signal)

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal)
    return true
  } catch {
    return false
  }
}

const texts: Record<string, string> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGQUIT: 'quit',
  SIGILL: 'illegal instruction',
  SIGTRAP: 'trace/breakpoint trap',
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGKILL: 'killed',
  SIGUSR1: 'user defined signal 1',
  SIGSEGV: 'segmentation fault',
  SIGUSR2: 'user defined signal 2',
  SIGPIPE: 'broken pipe',
  SIGALRM: 'alarm clock',
  SIGTERM: 'terminated'
}

/** What the API calls a signal: `terminated` for SIGTERM. */
export function signalText(number: number): string {
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0]
  return (name && texts[name]) ?? `signal ${number}`
}

export const signalNumber = (name: string): number => constants.signals[name as NodeJS.Signals] ?? 0
