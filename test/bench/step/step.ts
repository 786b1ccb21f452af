/** The third table: what a step makes the engine do, and where the time of its main thread goes. Of Troupe alone. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from '../figures.ts'
import { removedAtTheEnd } from '../leaving.ts'
import type { Shape } from '../many-steps.ts'
import { scaled } from '../question.ts'
import { beside, short } from '../tables/table.ts'
import type { Counted, Profiled, Times } from './measured-run.ts'

/** The word for `--only`. */
export const STEP = 'step'
/** A chain stores each of its steps alone, a wide run many at once. */
const SHAPES: readonly Shape[] = ['chain', 'wide']
const STEPS = 500
/** Figures below it are of the run, or happen now and then. */
const LEAST = { calls: 0.05, ms: 0.01 }
const PROGRAM = fileURLToPath(new URL('measured-run.js', import.meta.url))

/** Figures of one kind, by what they count: of each shape, in the order of `SHAPES`. */
export interface Section {
  title: string
  figures: Record<string, (number | undefined)[]>
}
export interface StepFigures {
  shapes: readonly Shape[]
  sections: Section[]
  /** Calls of functions for one step, those of each shape. */
  functions: Record<string, number>[]
}

/** @param rounds how often time is measured; counts are the same each time, but for how many steps share a commit */
export async function measureStep(rounds: number, scale: number): Promise<StepFigures> {
  const steps = String(scaled(STEPS, scale))
  const counts: Counted[] = []
  const times: Profiled[] = []
  for (const shape of SHAPES) {
    counts.push(await measured<Counted>('count', shape, steps))
    const profiles: Profiled[] = []
    for (let round = 1; round <= rounds; round++) profiles.push(await measured<Profiled>('profile', shape, steps))
    times.push(middleOf(profiles))
  }
  return { shapes: SHAPES, sections: sectionsOf(counts, times), functions: counts.map(({ functions }) => functions) }
}

async function measured<T>(...args: string[]): Promise<T> {
  console.error(`what a step takes: ${args.join(' ')} steps`)
  const running = promisify(execFile)(process.execPath, [PROGRAM, ...args], { maxBuffer: 64 * 1024 ** 2 })
  const stop = removedAtTheEnd(() => void running.child.kill())
  const { stdout } = await running
  stop()
  return JSON.parse(stdout) as T // as `measured-run.ts` prints it
}

function middleOf(profiles: Profiled[]): Profiled {
  const middle = (read: (one: Profiled) => number) => median(profiles.map(read))
  const timesOf = (name: 'first' | 'later'): Times => ({
    wallMs: middle((one) => one[name].wallMs),
    cpuMs: middle((one) => one[name].cpuMs),
    mainCpuMs: middle((one) => one[name].mainCpuMs)
  })
  const names = [...new Set(profiles.flatMap(({ groups }) => Object.keys(groups)))]
  const groups = Object.fromEntries(names.map((name) => [name, middle(({ groups }) => groups[name] ?? 0)]))
  return { first: timesOf('first'), later: timesOf('later'), groups }
}

function sectionsOf(counts: Counted[], times: Profiled[]): Section[] {
  const of = <T>(title: string, all: T[], read: (one: T) => Record<string, number>, least: number): Section => {
    const found = all.map(read)
    const largest = (name: string) => Math.max(...found.map((figures) => figures[name] ?? 0))
    const names = [...new Set(found.flatMap(Object.keys))].filter((name) => largest(name) >= least)
    names.sort((a, b) => largest(b) - largest(a))
    return { title, figures: Object.fromEntries(names.map((name) => [name, found.map((figures) => figures[name])])) }
  }
  const total = (figures: Record<string, number>) => ({ all: Object.values(figures).reduce((sum, n) => sum + n, 0) })
  return [
    of('actors', counts, ({ actors }) => actors, LEAST.calls),
    of('transitions recorded', counts, ({ transitions }) => ({ ...total(transitions), ...transitions }), LEAST.calls),
    of('entries put into the store', counts, ({ puts }) => ({ ...total(puts), ...puts }), LEAST.calls),
    of('bytes of entries', counts, ({ storedBytes }) => ({ ...total(storedBytes), ...storedBytes }), 1),
    of('calls of node:fs', counts, ({ fileCalls }) => ({ ...total(fileCalls), ...fileCalls }), LEAST.calls),
    of('bytes written to files', counts, ({ fileBytes }) => ({ ...total(fileBytes), ...fileBytes }), 1),
    of('ms, first run', times, ({ first }) => namesOf(first), 0),
    of('ms, later run', times, ({ later }) => namesOf(later), 0),
    of('ms, its main thread', times, ({ later, groups }) => ({ all: later.mainCpuMs, ...groups }), LEAST.ms)
  ]
}

const namesOf = ({ wallMs, cpuMs, mainCpuMs }: Times) => ({
  'wall time': wallMs,
  'CPU of the engine, all threads': cpuMs,
  'CPU of its main thread': mainCpuMs
})

/** A line for each figure, a column for each shape. */
export function printedStep({ shapes, sections }: StepFigures): string {
  const lines = sections.flatMap(({ title, figures }) =>
    Object.entries(figures).map(([name, values], index) => ({ words: [index === 0 ? title : '', name], values }))
  )
  return beside(
    [['a step takes', ''], ...lines.map(({ words }) => words)],
    [[...shapes], ...lines.map(({ values }) => values.map((value) => short(value)))]
  )
}
