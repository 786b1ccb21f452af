/**
 * A host application that throws and answers what cannot be read, as a process that could end of it: `node hostile-host.js HOME [start]`
 * opens the home, starts a run of each value at each place if it is told to, and prints as JSON how each has ended.
 */
import { runInNewContext } from 'node:vm'
import { z } from 'zod'
import { createEngine, defineExecutor, defineFunction } from '../../../src/index.ts'
import { HOSTILE, type Hostile } from './hostile-values.ts'

const [, , home = '', start] = process.argv
const made = (name: unknown): Hostile => HOSTILE[String(name)] ?? (() => undefined)
const schema = (validate: (value: unknown) => unknown) =>
  ({ '~standard': { version: 1, vendor: 'test', validate } }) as unknown as z.ZodType // it keeps no promise

const functions = [
  defineFunction({ name: 'throws', params: z.any() }, ({ params }) => {
    throw made(params.value)()
  }),
  defineFunction({ name: 'rejects', params: z.any() }, ({ params }) => Promise.reject(made(params.value)())),
  defineFunction({ name: 'answers', params: z.any() }, ({ params }) => made(params.value)() as never),
  defineFunction({ name: 'logs', params: z.any() }, ({ params, log }) => {
    log.info(made(params.value)() as string, { value: made(params.value)() })
  }),
  defineFunction({ name: 'item', params: z.any() }, (call) => {
    throw made((call as { item?: unknown }).item)()
  }),
  ...Object.entries(HOSTILE).flatMap(([name, hostile]) => [
    defineFunction({ name: `asked ${name}`, params: z.any() }, () => {
      throw hostile()
    }),
    defineFunction(
      {
        name: `checked ${name}`,
        params: schema(() => {
          throw hostile()
        })
      },
      () => null
    ),
    defineFunction({ name: `refused ${name}`, params: schema(hostile) }, () => null),
    defineFunction({ name: `doubted ${name}`, params: schema(async () => Promise.reject(hostile())) }, () => null),
    defineFunction({ name: `listed ${name}`, params: schema(() => ({ issues: [hostile()] })) }, () => null)
  ])
]
const executors = [
  defineExecutor({
    type: 'hostile',
    execute: async ({ words: [how, ...value] }) => {
      if (how === 'throws') throw made(value.join(' '))()
      return made(value.join(' '))() as never
    }
  })
]

const call = (name: string, value: string) =>
  `steps: [{name: s, executor: {type: function, config: {name: ${name}, params: {value: ${value}}}}}]`
const open = (name: string, value: string) =>
  `steps: [{name: s, executor: {type: function, config: {name: "${name} ${value}", params: {a: "$DAG_RUN_ID"}}}}]`
const PLACES: Record<string, (value: string) => string> = {
  throws: (value) => call('throws', value),
  rejects: (value) => call('rejects', value),
  answers: (value) => call('answers', value),
  logs: (value) => call('logs', value),
  each: (value) => `steps: [{name: s, each: {items: [${value}]}, executor: {type: function, config: {name: item}}}]`,
  preconditions: (value) => `steps: [{name: s, command: "true", functions: {preconditions: "asked ${value}"}}]`,
  env: (value) => `steps: [{name: s, command: "true", functions: {env: "asked ${value}"}}]`,
  checked: (value) => open('checked', value),
  refused: (value) => open('refused', value),
  doubted: (value) => open('doubted', value),
  listed: (value) => open('listed', value),
  executorThrows: (value) => `steps: [{name: s, executor: hostile, command: throws ${value}}]`,
  executorAnswers: (value) => `steps: [{name: s, executor: hostile, command: answers ${value}}]`,
  secret: (value) => `secrets: [{name: A, provider: host, key: ${value}}]\nsteps: [{name: s, command: "true"}]`
}

const engine = await createEngine({
  home,
  functions,
  executors,
  secrets: ({ key }) => {
    throw made(key)()
  },
  log: {
    debug() {},
    info() {},
    warn: () => Promise.reject(made('revoked proxy')()) as never,
    error() {
      throw made('revoked proxy')()
    }
  }
})
const ended: Record<string, string> = {}
const names = Object.entries(PLACES).flatMap(([place, spec]) =>
  Object.keys(HOSTILE).map((value) => ({ name: `${place}-${value.replaceAll(' ', '_')}`, spec: spec(value) }))
)
await Promise.all(
  names.map(async ({ name, spec }) => {
    if (start) await engine.start({ name, spec, dagRunId: 'r' })
    const { run, nodes } = await engine.result({ name, dagRunId: 'r' })
    ended[name] = `${run.status} ${nodes[0]?.node.error ?? run.error ?? ''}`.slice(0, 200)
  })
)
for (const hostile of Object.values(HOSTILE)) {
  engine.subscribe(() => {
    throw hostile()
  })
  engine.subscribe(() => hostile() as never)
  engine.subscribe((() => Promise.reject(hostile())) as never)
}
// A test runner has promises of another realm.
engine.subscribe(() => runInNewContext('Promise.reject(new Error("far"))'))
await engine.result(await engine.start({ name: 'heard', spec: 'steps: ["true"]' }))
for (const hostile of Object.values(HOSTILE)) {
  // One that threw at once would end this program.
  await engine.start(hostile() as never).catch(() => {})
  await engine.start({ name: 'x', spec: 'steps: ["true"]', params: hostile() as never }).catch(() => {})
  await engine.signal({ name: 'x', dagRunId: 'r', step: 's' }, hostile()).catch(() => {})
  await createEngine(hostile() as never).then(
    (other) => other.close(),
    () => {}
  )
}
await engine.close()
console.log(JSON.stringify(ended))
