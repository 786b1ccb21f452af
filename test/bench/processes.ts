/**
 * The processes of one engine as Linux shows them in /proc: memory, processor time, and the end of them all.
 *
 * One counting rule for every engine. A process counts when its environment holds the mark that the server was started
 * with, when its parent counts, or when it is in the session of one that counts. So servers, launchers, run processes and
 * the shells of steps count, also those that have left their parent.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Memory of all processes together. PSS shares out pages that several processes map; RSS counts them for each. Pages of files,
 * such as those of a mapped store, are in both, and not in what is their own: the system takes them back when it likes.
 */
export interface Memory {
  processes: number
  pssMiB: number
  rssMiB: number
  ownMiB: number
}

/** What has been spent so far, by the living and by the dead they have waited for. */
export interface Usage {
  /** The server's process alone. */
  engine: Spent & { peakRssMiB: number; pssMiB: number }
  /** All others, and those that the server has waited for. */
  others: Spent
}
export interface Spent {
  cpuMs: number
  /** Minor page faults. */
  faults: number
}

export interface ProcessTree {
  /** @param engine pid of the server */
  usage(engine: number): Usage
  memory(): Memory
  /** User and system time so far, of the living and of the dead they have waited for. */
  cpuSeconds(): number
  /** Living processes with this command name. */
  named(name: string): number
  /** Kills until none is left. */
  kill(): void
}

interface Process {
  pid: number
  parent: number
  session: number
  name: string
  /** Processor time, and minor page faults, of itself and of the dead it has waited for. */
  own: Counted
  waitedFor: Counted
}
interface Counted {
  ticks: number
  faults: number
}

const KILL_ROUNDS = 200

/** @param mark an environment entry, `NAME=value`, that no other process has. */
export function processTree(mark: string): ProcessTree {
  return {
    memory() {
      const rollups = members(mark)
        .map(({ pid }) => read(`/proc/${pid}/smaps_rollup`))
        .filter(Boolean)
      return {
        processes: rollups.length,
        pssMiB: mebibytes(PSS, rollups),
        rssMiB: mebibytes(/^Rss: +(\d+)/m, rollups),
        ownMiB: mebibytes(/^Anonymous: +(\d+)/m, rollups)
      }
    },
    cpuSeconds: () => spent(members(mark).flatMap(({ own, waitedFor }) => [own, waitedFor])).cpuMs / 1000,
    usage(engine) {
      const all = members(mark)
      const others = all.flatMap(({ pid, own, waitedFor }) => (pid === engine ? [waitedFor] : [own, waitedFor]))
      return {
        engine: {
          ...spent(all.flatMap(({ pid, own }) => (pid === engine ? [own] : []))),
          peakRssMiB: mebibytes(/^VmHWM:\s+(\d+)/m, [read(`/proc/${engine}/status`)]),
          pssMiB: mebibytes(PSS, [read(`/proc/${engine}/smaps_rollup`)])
        },
        others: spent(others)
      }
    },
    named: (name) => members(mark).filter((process) => process.name === name).length,
    kill() {
      for (let round = 0; round < KILL_ROUNDS; round++) {
        const left = members(mark)
        if (left.length === 0) return
        for (const { pid } of left) end(pid)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
      }
      throw new Error(`processes marked ${mark} do not end`)
    }
  }
}

const PSS = /^Pss: +(\d+)/m

/** The sum of a field, which these texts of /proc have in KiB. */
const mebibytes = (field: RegExp, texts: string[]) =>
  texts.reduce((sum, text) => sum + Number(field.exec(text)?.[1] ?? 0), 0) / 1024

const spent = (counts: Counted[]): Spent => ({
  cpuMs: (counts.reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond()) * 1000,
  faults: counts.reduce((sum, { faults }) => sum + faults, 0)
})

function members(mark: string): Process[] {
  const all = listProcesses()
  const own = all.find(({ pid }) => pid === process.pid)?.session
  const counted = new Set(all.filter(({ pid }) => `\0${read(`/proc/${pid}/environ`)}`.includes(`\0${mark}\0`)))
  for (let before = -1; before !== counted.size; ) {
    before = counted.size
    const pids = new Set([...counted].map(({ pid }) => pid))
    const sessions = new Set([...counted].map(({ session }) => session))
    if (own !== undefined) sessions.delete(own)
    for (const one of all) if (pids.has(one.parent) || sessions.has(one.session)) counted.add(one)
  }
  return [...counted]
}

/** All processes but zombies, which hold nothing and wait for their parent only. */
function listProcesses(): Process[] {
  return readdirSync('/proc').flatMap((entry) => {
    const stat = /^\d+$/.test(entry) ? read(`/proc/${entry}/stat`) : ''
    // The name is in parentheses and may contain anything, even parentheses and blanks.
    const nameEnd = stat.lastIndexOf(')')
    if (nameEnd < 0) return []
    const fields = stat.slice(nameEnd + 2).split(' ')
    if (fields[0] === 'Z') return []
    const [faults = 0, faultsOfDead = 0] = fields.slice(7, 9).map(Number)
    const [user = 0, system = 0, userOfDead = 0, systemOfDead = 0] = fields.slice(11, 15).map(Number)
    return {
      pid: Number(entry),
      parent: Number(fields[1]),
      session: Number(fields[3]),
      name: stat.slice(stat.indexOf('(') + 1, nameEnd),
      own: { ticks: user + system, faults },
      waitedFor: { ticks: userOfDead + systemOfDead, faults: faultsOfDead }
    }
  })
}

/** Empty when the process has ended meanwhile, or belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
  }
}

let ticks = 0
function ticksPerSecond(): number {
  ticks ||= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return ticks
}
