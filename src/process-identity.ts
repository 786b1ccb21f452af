/** Which process is which: pid + start ticks + boot id, looked at before every signal. Source: architecture 4. */
import { readFileSync } from 'node:fs'

export interface ProcessIdentity {
  pid: number
  /** Field 22 of `/proc/<pid>/stat`: clock ticks from boot to the process's start. */
  startTicks: string
  bootId: string
}

let boot: string | undefined
/** The kernel's id of this boot. @throws Error where there is no `/proc` */
export function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return boot
}

/** Reads pid and start ticks from the text of a `/proc/<pid>/stat`. The command name in it may hold blanks and brackets. */
export function parseStat(stat: string): { pid: number; startTicks: string; state: string } | undefined {
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const pid = Number.parseInt(stat, 10)
  const startTicks = fields[18]
  return Number.isInteger(pid) && startTicks ? { pid, startTicks, state } : undefined
}

/** This process, or another by pid; undefined: there is none. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const stat = statOf(pid)
  return stat && { pid, startTicks: stat.startTicks, bootId: bootId() }
}

/** Whether that very process lives; a zombie does not. */
export function isAlive({ pid, startTicks, bootId: of }: ProcessIdentity): boolean {
  const stat = of === bootId() ? statOf(pid) : undefined
  return stat?.startTicks === startTicks && stat.state !== 'Z' && stat.state !== 'X'
}

function statOf(pid: number) {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}
