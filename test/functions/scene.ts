/** An engine with functions for tests, and steps that call them. */
import * as v from 'valibot'
import { z } from 'zod'
import { type Call, createEngine, defineFunction, type Engine, type Fn, NonRetryable } from '../../src/index.ts'

type Made = Fn<unknown, unknown>
const any = z.any()
/** What each function was called with. */
export const calls: Call<unknown>[] = []
export const fn = (name: string, run: (call: Call<Record<string, unknown>>) => unknown): Made =>
  defineFunction({ name, params: any }, (call) => {
    calls.push(call)
    return run(call) as null
  })
const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
/** Ends `deaf`. */
export const deaf = { letGo: () => {} }
function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const functions: Made[] = [
  defineFunction({ name: 'order/charge', params: z.object({ amount: z.coerce.number().positive() }) }, (call) => {
    calls.push(call as Call<unknown>)
    return { receipt: `r${call.params.amount}`, secret: 'hush-hush' }
  }),
  defineFunction({ name: 'valid', params: v.object({ word: v.string() }) }, ({ params }) => params.word),
  defineFunction({ name: 'later', params: z.object({ id: z.string().refine(async (id) => id === 'a') }) }, () => 'ok'),
  defineFunction(
    {
      name: 'broken schema',
      params: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate() {
            throw new TypeError('the schema is broken')
          }
        }
      } as never
    },
    () => 1
  ),
  fn('results', ({ results }) => ({ ...results })),
  fn('same', ({ params }) => params.value),
  fn('busy', ({ attempt }) => {
    if (attempt < 3) throw Object.assign(new RangeError('busy', { cause: new Error('net') }), { code: 'EBUSY' })
    return attempt
  }),
  fn('hopeless', () => {
    throw new NonRetryable('no such card hush-hush')
  }),
  fn('text', () => {
    throw 'just a text'
  }),
  fn('date', () => ({ list: [1, { when: new Date(0) }] })),
  fn('large', ({ params }) => 'x'.repeat(Number(params.length))),
  fn('nothing', () => undefined),
  fn('says', ({ log }) => {
    log.info('hello hush-hush', { id: 7 })
    log.error('careful')
  }),
  fn('waits', ({ signal }) => never(signal)),
  fn('deaf', () => {
    const { promise, resolve } = deferred()
    deaf.letGo = resolve
    return promise
  }),
  fn('blocks', ({ params }) => {
    for (const end = Date.now() + Number(params.ms); Date.now() < end; ); // nothing else of the process runs meanwhile
    return 'too late'
  }),
  fn('counts', () => 0),
  fn('item', (call) => {
    const { item } = Object(call)
    if (item === 'bad once' && calls.filter((other) => Object(other).item === item).length < 2) throw new Error('bad')
    return item
  }),
  fn('some', () => [1, 2]),
  fn('yes', () => true),
  fn('no', () => false),
  fn('order/label#env', ({ results }) => ({ LABEL: `for ${Object(results).charge.receipt}` })),
  fn('order/secret', () => ({ card: 'hush-hush' })),
  fn('answers', () => ({ drawn: calls.filter(({ attempt }) => attempt === undefined).length }))
]

/** For one file of tests: an engine for all of them, and no calls before each. */
export function functionScene() {
  let engine: Engine | undefined
  const opened = (): Engine => {
    if (!engine) throw new Error('the engine is not open')
    return engine
  }
  before(async () => {
    process.env.HUSH = 'hush-hush'
    engine = await createEngine({ temporary: true, functions })
  })
  after(async () => {
    delete process.env.HUSH
    await engine?.close()
  })
  beforeEach(() => void calls.splice(0))
  let runs = 0
  const begin = (steps: string, besides = '') =>
    opened().start({ name: `fn${++runs}`, spec: `${besides}\ntype: graph\nsteps:\n${steps}` })
  const run = async (steps: string, besides = '') => opened().result(await begin(steps, besides))
  const one = async (config: string, besides = '', also = '') => {
    const view = await run(`  - {name: a, executor: {type: function, config: ${config}}, ${also}}`, besides)
    const [node] = view.nodes
    if (!node) throw new Error('there is no node')
    return { ...node.node, run: view.run }
  }
  const refusal = (asked: Promise<unknown>) => asked.then(String, (error: Error) => error.message)
  const eventually = async (ready: () => boolean) => {
    while (!ready()) await new Promise((resolve) => setImmediate(resolve))
  }

  return { engine: opened, begin, run, one, refusal, eventually, runs: () => runs }
}
