/** Identity of a process: pid + start ticks + boot id, checked before every signal. Source: architecture 4. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { integer, object, type Shape, text } from '../schema/schema.ts'

export const processIdentity = object({
  pid: integer,
  /** Field 22 of `/proc/<pid>/stat`: clock ticks from boot to the process's start. */
  startTicks: text,
  bootId: text
})
export type ProcessIdentity = Shape<typeof processIdentity>

let boot: string | undefined
// D951: some modules are shared by several layers
/** The kernel's id of this boot. @throws Error where there is no `/proc` */
export function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return boot
}

/** Fields of `/proc/<pid>/stat`. */
export interface ProcessStat {
  pid: number
  startTicks: string
  /** Pid of its parent. */
  parent: number
  /** Id of the process group. */
  group: number
  /** Pid of its session leader, alive or not; 0: not visible from here. */
  session: number
  /** The process has not ended; a zombie has. */
  alive: boolean
}

/** Number of fields to parse after the command name, up to the start time; the thirty after it are not needed. */
const READ_FIELDS = 20

/** Parses `/proc/<pid>/stat`. The command name in it may contain blanks and brackets. */
export function parseStat(stat: string): ProcessStat | undefined {
  const behindName = stat.slice(stat.lastIndexOf(')') + 2)
  const [state = '', parent, group, session, ...fields] = behindName.split(' ', READ_FIELDS)
  const pid = Number.parseInt(stat, 10)
  const startTicks = fields[15]
  if (!Number.isInteger(pid) || !startTicks) return undefined
  const alive = state !== 'Z' && state !== 'X'
  return { pid, startTicks, parent: Number(parent), group: Number(group), session: Number(session), alive }
}

/** Ids of the process groups with a living member. Reads every process. */
export function liveGroups(): Set<number> {
  const groups = new Set<number>()
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined
    if (stat?.alive) groups.add(stat.group)
  }
  return groups
}

/** Whether a process group has a living member with a text in its environment. Reads every process. */
export function hasMemberWith(group: number, text: string): boolean {
  return readdirSync('/proc').some((entry) => {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined
    return stat?.alive === true && stat.group === group && environOf(stat.pid).includes(text)
  })
}

/** The initial environment of a process, NUL-terminated; empty for a process of another user. */
export function environOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return '' // gone, or of another user
  }
}

/** This process, or another by pid; undefined: there is none. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const stat = statOf(pid)
  return stat && { pid, startTicks: stat.startTicks, bootId: bootId() }
}

/** Whether exactly this process is alive; a zombie is not. */
export function isAlive({ pid, startTicks, bootId: of }: ProcessIdentity): boolean {
  const stat = of === bootId() ? statOf(pid) : undefined
  return stat?.startTicks === startTicks && stat.alive
}

/** Whether a living process has that pid: the same one, or another that has reused it. */
export const isTaken = (pid: number): boolean => statOf(pid)?.alive === true

/** Undefined: there is no such process. */
export function statOf(pid: number): ProcessStat | undefined {
  try {
    if (!existsSync(`/proc/${pid}`)) return undefined // an exception is expensive, and after a restart most are gone
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}
