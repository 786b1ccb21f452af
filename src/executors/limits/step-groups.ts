/** A cgroup for each limited execution and each of its commands. Source: docs/operating/limits.md "Memory, processors, processes". */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../errors.ts'
import type { ExecutionEnd } from '../executor.ts'
import type { StepLimits } from './step-limits.ts'

export interface StepGroups {
  /** Makes one. Returns its folder. @param state of the execution @throws Error: the step is not begun without it */
  make(state: string, limits: StepLimits): string
  /** Makes one for a program that no launcher begins. @throws Error like `make` */
  enter(limits: StepLimits): Entered
  /** Removes it, once the execution has ended. Returns the end, with what its limits had to do with it. */
  over<E extends Pick<ExecutionEnd, 'exitCode'>>(state: string, end: E): E & Pick<ExecutionEnd, 'limit'>
}

/** A group that a program enters by itself. */
export interface Entered {
  /** Before its own words. */
  words: readonly string[]
  /** Like `over` of the groups. */
  over<E extends Pick<ExecutionEnd, 'exitCode'>>(end: E): E & Pick<ExecutionEnd, 'limit'>
}

/** A process that writes 0 into it is in the group; what does not come into its group does not begin. */
const ENTER = 'echo 0 >"$0/cgroup.procs" || exit 126; exec "$@"'

/** Microseconds. */
const PERIOD = 100_000

// D1480, D1481: `steps.limits` are cgroups v2, or the engine does not start
/** @param place folder in which they are made; those of ended executions in it are removed */
export function openStepGroups(place: string): StepGroups {
  /** Daemons that steps have left behind are in them. */
  const left = new Set<string>()
  const folderOf = (state: string) => join(place, createHash('sha256').update(state).digest('hex').slice(0, 32))
  for (const name of readdirSync(place)) if (/^[0-9a-f]{32}$/.test(name)) remove(join(place, name))

  function remove(folder: string): void {
    try {
      rmdirSync(folder)
      left.delete(folder)
    } catch {
      if (existsSync(folder)) left.add(folder)
    }
  }

  let entered = 0
  const groups: StepGroups = {
    make(state, limits) {
      const folder = folderOf(state)
      for (const old of [...left]) remove(old)
      try {
        mkdirSync(folder, { recursive: true })
        for (const [file, value] of filesFor(limits, folder)) writeFileSync(join(folder, file), value)
      } catch (cause) {
        throw new Error(`steps.limits: the cgroup ${folder} cannot be made: ${messageOf(cause)}`, { cause })
      }
      return folder
    },
    enter(limits) {
      const state = `${process.pid} ${++entered}`
      const words = ['/bin/sh', '-c', ENTER, groups.make(state, limits)]
      return { words, over: (end) => groups.over(state, end) }
    },
    over(state, end) {
      const folder = folderOf(state)
      if (!existsSync(folder)) return end
      const told = end.exitCode === 0 ? undefined : reached(folder)
      remove(folder)
      return told === undefined ? end : { ...end, limit: told }
    }
  }
  return groups
}

function filesFor({ memory, cpu, pids }: StepLimits, folder: string): [file: string, value: string][] {
  const files: [string, string][] = []
  if (memory !== undefined) {
    files.push(['memory.max', String(memory)])
    // Where there is swap, it would be a way round the limit; and half a step is of no use to anybody.
    for (const [file, value] of [
      ['memory.swap.max', '0'],
      ['memory.oom.group', '1']
    ] as const)
      if (existsSync(join(folder, file))) files.push([file, value])
  }
  if (cpu !== undefined) files.push(['cpu.max', `${Math.max(1_000, Math.round(cpu * PERIOD))} ${PERIOD}`])
  if (pids !== undefined) files.push(['pids.max', String(pids)])
  return files
}

/** The limit that was reached; undefined: none. */
function reached(folder: string): string | undefined {
  const text = (file: string) => {
    try {
      return readFileSync(join(folder, file), 'utf8')
    } catch {
      return ''
    }
  }
  const count = (file: string, name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text(file))?.[1] ?? 0)
  if (count('memory.events', 'oom_kill') > 0)
    return `out of memory, as it needed more than steps.limits.memory (${sizeText(Number(text('memory.max')))})`
  if (count('pids.events', 'max') > 0)
    return `it wanted more processes than steps.limits.pids (${text('pids.max').trim()})`
  return undefined
}

const sizeText = (bytes: number): string => {
  for (const [unit, size] of [
    ['GiB', 1024 ** 3],
    ['MiB', 1024 ** 2],
    ['KiB', 1024]
  ] as const)
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit}`
  return `${bytes} bytes`
}
