/** A value that only passes through is the same at the other end, whatever its digits. Source: execution-semantics 3.2, 9.4; docs/definition-format.md. */
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { exactJson } from '../../../src/definition/text/exact-json.ts'
import { program, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { onlyLast } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

const VALUES = [
  '12345678901234567890',
  '9007199254740993',
  '0.1000000000000000055',
  '100000000000000000000.000000000000001',
  '1.0',
  '1e400',
  '1E5',
  '-0'
]
const SCHEMA = '{type: object, properties: {n: {type: number}, by: {type: number, default: 1.50}}}'

describe('digits of a value that passes through a workflow', () => {
  const live = liveEngine()
  const folder = temporaryFolder()
  const called = join(folder, 'called.yaml')
  writeFileSync(called, 'params: [A]\nsteps: [{name: say, command: printf %s "$A", output: SAID}]\n')
  const echo = createServer(({ url = '' }, response) => response.end(new URL(url, 'http://h').searchParams.get('a')))
  let port: number
  before(async () => {
    await once(echo.listen(0, '127.0.0.1'), 'listening')
    port = Object(echo.address()).port
  })
  after(() => echo.close())
  const call = (more: string) =>
    `steps: [{name: a, call: ${called}, ${more}, output: OUT}, {name: z, command: 'printf %s "\${OUT.outputs[0].SAID}"'}]`
  /** VALUE stands for the value. */
  const DOORS: Record<string, { spec: string; params?: string }> = {
    'params of a start': { spec: 'steps: [{name: z, command: printf %s "$A"}]', params: '{"A": VALUE}' },
    'a part of params of a start': {
      spec: `steps: [{name: z, command: 'printf %s "\${A.b}"'}]`,
      params: '{"A": {"b": VALUE}}'
    },
    'params of a definition': { spec: 'params: {A: VALUE}\nsteps: [{name: z, command: printf %s "$A"}]' },
    'a part of params of a definition': {
      spec: `params: [{A: {b: [VALUE]}}]\nsteps: [{name: z, command: 'printf %s "\${A.b[0]}"'}]`
    },
    env: { spec: 'env: [{A: VALUE}]\nsteps: [{name: z, command: printf %s "$A"}]' },
    'env of a step': { spec: 'steps: [{name: z, env: {A: VALUE}, command: printf %s "$A"}]' },
    'a part of an output': {
      spec: `steps: [{name: a, command: 'echo "{\\"a\\": VALUE}"', output: OUT}, {name: z, command: 'printf %s "\${OUT.a}"'}]`
    },
    'config of an http step': {
      spec: 'steps: [{name: z, executor: {type: http, config: {silent: true, query: {a: VALUE}}}, command: GET http://127.0.0.1:PORT/}]'
    },
    'config of an http step in its script': {
      spec: `steps: [{name: z, executor: http, command: GET http://127.0.0.1:PORT/, script: '{"silent": true, "query": {"a": VALUE}}'}]`
    },
    'items of a call': { spec: call("parallel: [VALUE], params: 'A=${ITEM}'") },
    'maps as items': { spec: call('parallel: [{A: VALUE}]') }
  }
  for (const [door, { spec, params }] of Object.entries(DOORS))
    it(door, async () => {
      const seen = await Promise.all(
        VALUES.map(async (value) => {
          const text = spec.replace('VALUE', value).replace('PORT', `${port}`)
          const run = await live.run(text, params === undefined ? {} : { params: params.replace('VALUE', value) })
          return run.out('z')
        })
      )
      expect(seen).to.deep.equal(VALUES)
    })

  it('the result of a called workflow', async () => {
    const asks = join(folder, 'asks.yaml')
    writeFileSync(asks, 'result: w\nsteps: [{name: w, executor: signal}]\n')
    const seen: string[] = []
    for (const value of VALUES) {
      const key = await live.start(
        `steps: [{name: a, call: ${asks}, output: OUT}, {name: z, command: 'printf %s "\${OUT.result.payload.n}"'}]`
      )
      const sub = await eventually('the called run', () => live.engine.subRuns(key)[0])
      await live.engine.signal({ ...key, subRunId: sub.dagRunId, step: 'w' }, exactJson(`{"n": ${value}}`))
      seen.push((await live.ended(key)).out('z'))
    }
    expect(seen).to.deep.equal(VALUES)
  })
})

describe('digits of the payload of a signal', () => {
  const folder = temporaryFolder()
  const steps = (config: string) =>
    `steps: [{name: w, executor: {type: signal${config}}, output: OUT}, {name: z, command: 'printf %s "\${OUT.n}"'}]\n`
  let server: RunningServer
  before(async () => {
    mkdirSync(join(folder, 'dags'))
    writeFileSync(join(folder, 'dags', 'plain.yaml'), steps(''))
    writeFileSync(join(folder, 'dags', 'fitted.yaml'), steps(`, config: {payloadSchema: ${SCHEMA}}`))
    server = await runningServer({}, { folder })
  })
  after(() => server.end())

  const ask = async (path: string, body?: string) => {
    const sent = body === undefined ? {} : { method: 'POST', body, headers: { 'Content-Type': 'application/json' } }
    const response = await fetch(`${server.address}/api/v2${path}`, sent)
    return { status: response.status, json: JSON.parse((await response.text()) || 'null') }
  }
  const byCommand = async (words: string[]) => {
    const { code, written } = program(folder, { ENGINE_HOME: folder }, 'signal', ...words)
    expect(await code, written.err).to.equal(0)
  }
  const WAYS: Record<string, { values: string[]; give(name: string, id: string, payload: string): Promise<unknown> }> =
    {
      'the API': {
        values: VALUES,
        async give(name, id, payload) {
          const { status, json } = await ask(`/dag-runs/${name}/${id}/steps/w/signal`, `{"payload": ${payload}}`)
          expect(status, JSON.stringify(json)).to.equal(200)
        }
      },
      'the command line': {
        values: VALUES.slice(3, 5),
        give: (_, id, payload) => byCommand([id, 'w', payload])
      },
      'the command line, of a server elsewhere': {
        values: VALUES.slice(3, 5),
        give: (_, id, payload) => byCommand([id, 'w', payload, '--url', server.address])
      }
    }
  for (const name of onlyLast(['plain', 'fitted']))
    for (const [way, { values, give }] of Object.entries(WAYS))
      it(`by ${way}, ${name === 'plain' ? 'without a schema' : 'with one, which completes it'}`, async () => {
        const seen: string[] = []
        for (const value of values) {
          const { dagRunId: id } = (await ask(`/dags/${name}/start`, '{}')).json
          await give(name, id, `{"n": ${value}, "text": "1.0"}`)
          const { nodes } = await eventually('the end of the run', async () => {
            const { dagRun } = (await ask(`/dag-runs/${name}/${id}`)).json
            return dagRun.finishedAt === '' ? undefined : dagRun
          })
          seen.push(textOf(nodes[1].stdout))
        }
        expect(seen).to.deep.equal(values)
      })
})
