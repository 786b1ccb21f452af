/**
 * An engine with its API in a separate process, to be broken: `node engine-child.js <JSON of ChildOptions>`.
 * Sends `{port}` when it serves, and `{point}` for every named point that it passes.
 */
import { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { serve } from '../../src/api/server.ts'
import { launcherFolder } from '../../src/executors/launcher/launcher-folder.ts'
import { createEngine, type Engine } from '../../src/index.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { die, type Fault, interceptFileCalls, systemError } from './file-calls.ts'
import { shortenTimeouts } from './net/short-timeouts.ts'
import { planted, plantInProcess } from './plants.ts'
import { type Point, pointOf, type Side } from './points/points.ts'

export interface ChildOptions {
  home: string
  settings?: Record<string, unknown>
  /** Dies there at the nth time. */
  crash?: { point: Point; side: Side; nth: number }
  /**
   * From the call with that number on, `count` of them fail with `code`, or all within `forMs`: changes of files and
   * transactions; with `only`, transactions alone, as when the store has reached its limit but the disk has free space.
   */
  fail?: { from: number; code: string; count?: number; forMs?: number; only?: 'batch' }
  /** Writes never reach the disk, without an error: a disk that lies. */
  loses?: Point
  /** The time limits of its server are so many times shorter. Default: 1. */
  hurry?: number
  /** It follows schedules, as a server does: it answers while it opens runs again. Default: it answers when all are open. */
  schedules?: boolean
  plant?: string
}

const {
  home,
  settings = {},
  crash,
  fail,
  loses,
  hurry = 1,
  schedules = false,
  plant
} = JSON.parse(process.argv[2] ?? '{}') as ChildOptions
const passed = new Map<Point, number>()
let calls = 0

/** Whether the process is to die at this pass of a point, and on which side. */
function at(point: Point): Side | undefined {
  const nth = (passed.get(point) ?? 0) + 1
  passed.set(point, nth)
  if (process.connected) process.send?.({ point })
  return crash?.point === point && crash.nth === nth ? crash.side : undefined
}

let failedAt: number | undefined
let failed = 0
/** The code that a call fails with. */
function failing(name: string): string | undefined {
  calls++
  if (!fail || calls < fail.from || (fail.code === 'ENOSPC' && FREEING.test(name))) return undefined
  if (fail.only !== undefined && fail.only !== name) return undefined
  failedAt ??= performance.now()
  const isOver = fail.forMs === undefined ? ++failed > (fail.count ?? 1) : performance.now() > failedAt + fail.forMs
  if (!isOver && plant === 'dies of the first error') process.exit(3)
  return isOver ? undefined : fail.code
}
/** These need no space. */
const FREEING = /^(rm|unlink|ftruncate|chmod)/

const launcher = launcherFolder(join(home, 'data'))
const isOurs = (path: string) => path.startsWith(`${home}/`) || path.startsWith(launcher)

interceptFileCalls((call): Fault | undefined => {
  const point = pointOf(call)
  const dies = point && at(point)
  if (dies) return { dies }
  if (point && point === loses) return { lies: true }
  const fails = isOurs(call.path) ? failing(call.name) : undefined
  return fails ? { fails } : undefined
})

/** A job goes to the launcher through a pipe; what is written there is on its way when the call returns. */
const { write } = Socket.prototype
Socket.prototype.write = function (this: Socket, ...args: unknown[]) {
  const [text] = args
  const job = typeof text === 'string' && /^job j\d+ \d+\n/.test(text) ? text : undefined
  const dies = job === undefined ? undefined : at('tell')
  if (dies === 'before') die()
  if (dies === 'half') write.call(this, Buffer.from(job ?? '').subarray(0, (job?.length ?? 0) / 2))
  const done = dies === 'half' ? true : Reflect.apply(write, this, args)
  return dies ? die() : done
} as typeof write

const { end } = ServerResponse.prototype
ServerResponse.prototype.end = function (this: ServerResponse, ...args: unknown[]) {
  const dies = this.req.method === 'GET' ? undefined : at('answer')
  if (dies === 'before') die()
  if (dies) this.once('finish', die)
  return Reflect.apply(end, this, args)
} as typeof end

/** The store, with its transactions as points. */
function breakable(dataDir: string, options: { readOnly?: boolean } = {}): Store {
  const store = openStore(dataDir, options)
  const { root } = store
  const batch = root.batch.bind(root)
  const { flushed } = root
  root.batch = (async (work: () => void) => {
    const dies = at('commit')
    if (dies === 'before') die()
    const code = failing('batch')
    if (code && plant === 'swallows the errors of its store') return true
    if (code) throw systemError(code, 'batch', 'troupe.mdb')
    const done = await batch(work)
    if (dies) die()
    return done
  }) as typeof root.batch
  Object.defineProperty(root, 'flushed', {
    get() {
      const dies = at('flush')
      if (dies === 'before') die()
      return Promise.resolve(flushed).then((done) => (dies ? die() : done))
    }
  })
  return store
}

if (hurry !== 1) shortenTimeouts(hurry)
if (plant) plantInProcess(plant)
const engine: Engine = await createEngine({
  home,
  defaultShell: 'sh',
  schedules,
  openStore: breakable,
  log: 'stderr',
  settings: { 'queues.config': [{ name: 'narrow', maxConcurrency: 3 }], ...settings }
})
const server = await serve(plant ? planted(engine, plant) : engine, { host: '127.0.0.1', port: 0 })
process.on('message', () => process.send?.({ calls }))
process.send?.({ port: Number(new URL(server.address).port) })
process.on('SIGTERM', async () => {
  await server.close()
  await engine.close()
  process.exit(0)
})
