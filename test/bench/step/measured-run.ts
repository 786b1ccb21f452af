/**
 * A process of its own that holds an engine, executes one run and prints as JSON what a step of it took:
 *
 *     measured-run.js count|profile SHAPE STEPS COMMAND
 *
 * `count` counts everything, which slows the engine down; `profile` counts nothing and measures time. HTTP has no part in it.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { extname, join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { JournalRecord, RunKey } from '../../../machines/vocabulary.ts'
import { createEngine, type Engine, type EngineOptions } from '../../../src/index.ts'
import { leaveNothingBehind, removedAtTheEnd } from '../leaving.ts'
import { definitionOf, type Shape } from '../many-steps.ts'
import { busiest, countedStore, type StoreCounts, transitionOf, xstateCalls } from './counts.ts'
import { add, countFileCalls } from './file-calls.ts'
import { sharesOf } from './profile.ts'

/** What one step takes. */
export interface Counted {
  /** Of actors. */
  actors: Record<string, number>
  transitions: Record<string, number>
  puts: Record<string, number>
  storedBytes: Record<string, number>
  fileCalls: Record<string, number>
  fileBytes: Record<string, number>
  /** Calls of functions, for who looks for what is done more often than it must. */
  functions: Record<string, number>
}
export interface Profiled {
  /** Of the process's first run, while V8 still compiles what it executes, and of a later one. */
  first: Times
  later: Times
  /** Processor time of the main thread in a later run by part of the program, in ms. */
  groups: Record<string, number>
}
export interface Times {
  wallMs: number
  /** Of the process with all its threads: those of V8 compile and collect garbage, those of lmdb write. */
  cpuMs: number
  mainCpuMs: number
}

const WARM_UP_RUNS = 2
const SAMPLE_US = 200
/** After a run has ended the store is written to the disk, and records of its steps are removed at leisure. */
const AFTERMATH_MS = 2_000
const PAGE = 10_000
/** Functions that are called less often than by every second step are not shown. */
const SELDOM = 0.5

async function count(shape: Shape, steps: number, command: string): Promise<Counted> {
  const store: StoreCounts = { puts: new Map(), bytes: new Map() }
  const place = placeFor(shape, steps, command)
  const files = countFileCalls((path) => kindOf(path, place.home))
  const session = connected()
  const { engine, run } = await openedEngine(place, { openStore: countedStore(store) })
  await run() // what is done once for a process is not a step's
  await pause(AFTERMATH_MS)
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage') // starts from nothing
  for (const counts of [store.puts, store.bytes, files.calls, files.bytes]) counts.clear()
  const key = await run()
  await pause(AFTERMATH_MS)
  const { result: scripts } = await session.post('Profiler.takePreciseCoverage')
  const each = (counts: Iterable<[string, number]>) =>
    Object.fromEntries([...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => [name, count / steps]))
  const counted = {
    actors: each(xstateCalls(scripts)),
    puts: each(store.puts),
    storedBytes: each(store.bytes),
    fileCalls: each(files.calls),
    fileBytes: each(files.bytes),
    functions: each(busiest(scripts, SELDOM * steps))
  }
  const transitions = new Map<string, number>()
  for (const record of journalOf(engine, key)) add(transitions, transitionOf(record), 1)
  await engine.close()
  return { ...counted, transitions: each(transitions) }
}

async function profile(shape: Shape, steps: number, command: string): Promise<Profiled> {
  const session = connected()
  const { engine, run } = await openedEngine(placeFor(shape, steps, command))
  const timed = async (): Promise<Times> => {
    const begun = { wall: performance.now(), cpu: process.cpuUsage(), main: mainThreadMs() }
    await run()
    const { user, system } = process.cpuUsage(begun.cpu)
    const wallMs = performance.now() - begun.wall
    const mainCpuMs = mainThreadMs() - begun.main
    return { wallMs: wallMs / steps, cpuMs: (user + system) / 1000 / steps, mainCpuMs: mainCpuMs / steps }
  }
  const first = await timed()
  for (let warmUp = 0; warmUp < WARM_UP_RUNS; warmUp++) await run()
  const later = await timed()
  // A run of its own: what takes the samples is a thread of this process, too.
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US })
  await session.post('Profiler.start')
  await run()
  const shares = sharesOf((await session.post('Profiler.stop')).profile)
  await engine.close()
  return { first, later, groups: Object.fromEntries(shares.map(([group, share]) => [group, share * later.mainCpuMs])) }
}

function connected(): Session {
  const session = new Session()
  session.connect()
  return session
}

interface Place {
  home: string
  dags: string
}

function placeFor(shape: Shape, steps: number, command: string): Place {
  const home = mkdtempSync(join(tmpdir(), 'troupe-bench-step-'))
  removedAtTheEnd(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const dags = join(home, 'dags')
  mkdirSync(dags)
  writeFileSync(join(dags, 'measured.yaml'), definitionOf(shape, command, steps))
  return { home, dags }
}

async function openedEngine(
  { home, dags }: Place,
  options: EngineOptions = {}
): Promise<{ engine: Engine; run(): Promise<RunKey> }> {
  const engine = await createEngine({ ...options, home, dagsDir: dags, defaultShell: 'sh' })
  return {
    engine,
    async run() {
      const key = await engine.start({ fileName: 'measured' })
      const { run } = await engine.result(key)
      if (run.status !== 'succeeded') throw new Error(`the run ended ${run.status}`)
      return key
    }
  }
}

/** What a file is for, without the names of runs and steps; undefined: it is not the engine's. */
function kindOf(path: string, home: string): string | undefined {
  if (/\/troupe-\d+-[0-9a-f]{16}(\/|$)/.test(path)) return 'launcher folder'
  const [folder = '', ...rest] = relative(home, path).split('/')
  if (folder === '..') return undefined
  if (folder === 'data') return rest[0] === 'launcher' ? 'launcher folder' : (rest[0] ?? 'data')
  if (folder !== 'logs') return folder
  return EXTENSIONS[extname(path)] ?? 'folder of logs'
}
const EXTENSIONS: Record<string, string> = {
  '.log': 'log of the run',
  '.out': 'stdout log',
  '.err': 'stderr log',
  '.state': 'record of the step'
}

function* journalOf(engine: Engine, key: RunKey): Iterable<JournalRecord> {
  for (let after = 0; ; ) {
    const page = engine.journal(key, after, PAGE)
    yield* page
    const last = page.at(-1)
    if (!last) return
    after = last.seq
  }
}

/** Processor time of this thread, to the nanosecond. */
const mainThreadMs = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6

leaveNothingBehind()
const [mode, shape, steps, command = 'true'] = process.argv.slice(2)
const measure = mode === 'count' ? count : profile
console.log(JSON.stringify(await measure(shape as Shape, Number(steps), command)))
process.exit()
