/** Which process is which: pid + start ticks + boot id, looked at before every signal. Source: architecture 4. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export interface ProcessIdentity {
  pid: number
  /** Field 22 of `/proc/<pid>/stat`: clock ticks from boot to the process's start. */
  startTicks: string
  bootId: string
}

let boot: string | undefined
// D951
/** The kernel's id of this boot. @throws Error where there is no `/proc` */
export function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return boot
}

/** What is read from the text of a `/proc/<pid>/stat`. */
export interface ProcessStat {
  pid: number
  startTicks: string
  /** Pid of the process that it is a child of. */
  parent: number
  /** Id of its process group. */
  group: number
  /** Pid of the process that began its session, there or not; 0: one that cannot be seen from here. */
  session: number
  /** It has not ended: a zombie has. */
  alive: boolean
}

/** Fields behind the command name that are read, up to the start time; thirty more would be taken apart for nothing. */
const READ_FIELDS = 20

/** Reads the text of a `/proc/<pid>/stat`. The command name in it may hold blanks and brackets. */
export function parseStat(stat: string): ProcessStat | undefined {
  const behindName = stat.slice(stat.lastIndexOf(')') + 2)
  const [state = '', parent, group, session, ...fields] = behindName.split(' ', READ_FIELDS)
  const pid = Number.parseInt(stat, 10)
  const startTicks = fields[15]
  if (!Number.isInteger(pid) || !startTicks) return undefined
  const alive = state !== 'Z' && state !== 'X'
  return { pid, startTicks, parent: Number(parent), group: Number(group), session: Number(session), alive }
}

/** Ids of the process groups that have a member which is alive. Looks at every process there is. */
export function liveGroups(): Set<number> {
  const groups = new Set<number>()
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined
    if (stat?.alive) groups.add(stat.group)
  }
  return groups
}

/** Whether a process group has a member that is alive and has a text in its environment. Looks at every process there is. */
export function hasMemberWith(group: number, text: string): boolean {
  return readdirSync('/proc').some((entry) => {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined
    return stat?.alive === true && stat.group === group && environOf(stat.pid).includes(text)
  })
}

/** Variables that a process began with, each with a NUL behind it; none of one that is not ours. */
export function environOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return '' // it is gone, or not ours
  }
}

/** This process, or another by pid; undefined: there is none. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const stat = statOf(pid)
  return stat && { pid, startTicks: stat.startTicks, bootId: bootId() }
}

/** Whether that very process lives; a zombie does not. */
export function isAlive({ pid, startTicks, bootId: of }: ProcessIdentity): boolean {
  const stat = of === bootId() ? statOf(pid) : undefined
  return stat?.startTicks === startTicks && stat.alive
}

/** Whether there is a process of that pid which has not ended: that one, or another that was given the number since. */
export const isTaken = (pid: number): boolean => statOf(pid)?.alive === true

/** Undefined: there is no such process. */
export function statOf(pid: number): ProcessStat | undefined {
  try {
    if (!existsSync(`/proc/${pid}`)) return undefined // an exception is dear, and after a restart most are gone
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}
