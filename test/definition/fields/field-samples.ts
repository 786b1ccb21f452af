/** For each level of the tables, the smallest right definition around one field of it. */

import type { ExecutorType } from '../../../src/definition/fields/executor-types.ts'
import type { Level } from '../../../src/definition/fields/fields.ts'

/** JSON is YAML. */
export type Sample = Record<string, unknown>

const dag = (fields: Sample): Sample => ({ name: 'sample', ...fields })
const step = (fields: Sample): Sample =>
  dag({
    steps: [
      { name: 'fetch', command: 'echo' },
      { command: 'GET http://localhost', ...fields }
    ]
  })

/** A step with a function. */
const charging = (fields: Sample) =>
  dag({ steps: [{ executor: { type: 'function', config: { name: 'charge' } }, ...fields }] })

/** The steps that a result names. */
const named = (result: unknown) =>
  (typeof result === 'object' ? Object.values(Object(result)) : [result])
    .filter((name) => typeof name !== 'object' && String(name).trim() !== '')
    .map((name) => ({ name: String(name), command: 'true' }))

/** Puts fields where their level stands. */
export const around: Record<Level, (fields: Sample) => Sample> = {
  dag: (fields) => (fields.result === undefined ? dag(fields) : dag({ steps: named(fields.result), ...fields })),
  step: (fields) => (fields.each ? charging(fields) : step(fields.parallel ? { call: 'kid', ...fields } : fields)),
  paramsSchema: (fields) => dag({ params: { schema: './s.json', ...fields } }),
  schedule: (fields) => dag({ schedule: fields }),
  handlerOn: (fields) => dag({ handlerOn: fields }),
  condition: (fields) => dag({ preconditions: [{ ...('command' in fields ? {} : { condition: 'a' }), ...fields }] }),
  continueOn: (fields) => step({ continueOn: fields }),
  retryPolicy: (fields) => step({ retryPolicy: { limit: 1, ...fields } }),
  repeatPolicy: (fields) => step({ repeatPolicy: { ...('function' in fields ? {} : { condition: 'a' }), ...fields } }),
  executor: (fields) => step({ executor: fields }),
  each: (fields) =>
    'pages' in fields || 'collect' in fields
      ? charging({ each: { ...('pages' in fields ? {} : { pages: 2 }), ...fields }, functions: { items: 'f' } })
      : charging({ each: { items: [1], ...fields } }),
  functions: (fields) =>
    'ask' in fields || 'for' in fields
      ? dag({ steps: [{ executor: 'ask' in fields ? 'signal' : 'sleep', functions: fields }] })
      : charging({ functions: fields }),
  parallel: (fields) => dag({ steps: [{ call: 'kid', parallel: { items: ['a'], ...fields } }] }),
  mailOn: (fields) => dag({ mailOn: fields }),
  mailTarget: (fields) => dag({ errorMail: { from: 'a@b', ...fields } }),
  smtp: (fields) => dag({ smtp: { host: 'h', ...fields } }),
  secret: (fields) => dag({ secrets: [{ name: 'A', provider: 'env', key: 'B', ...fields }] }),
  container: (fields) => dag({ container: { image: 'i', command: ['x'], ...fields } }),
  registryAuth: (fields) => dag({ registryAuths: { 'ghcr.io': fields } }),
  ssh: (fields) => dag({ ssh: { host: 'h', ...fields } }),
  otel: (fields) => dag({ otel: fields }),
  runConfig: (fields) => dag({ runConfig: fields })
}

const worker = (type: string, command: string, config: Sample) => (fields: Sample) =>
  dag({ steps: [{ command, executor: { type, config: { ...config, ...fields } } }] })

/** Puts keys into the config of an executor. */
export const aroundConfig: Partial<Record<ExecutorType, (fields: Sample) => Sample>> = {
  docker: worker('docker', 'echo', { containerName: 'c', image: 'i' }),
  ssh: worker('ssh', 'echo', { host: 'h' }),
  http: worker('http', 'GET http://localhost', {}),
  archive: worker('archive', 'create', { source: 's', destination: 'd' }),
  mail: worker('mail', 'x', { to: 'a@b' }),
  jq: worker('jq', '.', {}),
  function: (fields) => dag({ steps: [{ executor: { type: 'function', config: { name: 'charge', ...fields } } }] }),
  gha: worker('gha', 'actions/checkout@v4', {})
}
