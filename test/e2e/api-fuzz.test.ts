/** Hostile requests to a real engine: refused ones change nothing. `SEED=n` repeats a series. Source: reliability P21, P22. */
import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { RunKey } from '../../machines/vocabulary.ts'
import { HOSTILE, type HostileRequest, hostileRequests } from '../support/hostile-requests.ts'
import { liveApi } from '../support/live-api.ts'

const REQUESTS = 1_000
const CODES = [
  'bad_request',
  'forbidden',
  'not_found',
  'not_running',
  'already_exists',
  'already_running',
  'max_run_reached'
]
/** Answers that a series must have had among others, or it shows little. */
const SEEN = [
  ...['200', '201', '400 bad_request', '400 not_running', '403 forbidden', '404 not_found', '405 bad_request'],
  ...['409 already_exists', '409 max_run_reached']
]
const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Cheap enough to be run a few hundred times; it shows its parameters to the shell. */
const CHEAP = 'maxActiveRuns: 2\nsteps:\n  - test -n "x$1${params}"\n'
/** What gets far: definitions and runs that exist, and texts that are definitions, nearly definitions, or attacks on their reader. */
const KNOWN = [
  'hello',
  'full',
  'dotted.name',
  'holder',
  'r-1',
  'steps:\n  - "true"\n',
  CHEAP,
  `name: hello\n${CHEAP}`,
  'name: full\n',
  'name: ..\n',
  'steps:\n  - name: x\n   y: [\n',
  'colour: red',
  'x-a: &a [*a]\n',
  '- '.repeat(3_000),
  '[{'.repeat(3_000),
  'a="$(touch mark)" `touch mark` ;touch mark',
  '{"a":"$(touch mark)"}',
  '['.repeat(5_000)
]

/** Requests that write, with fields that are right more often than not: together they are mostly refused for one reason only. */
const likely: fc.Arbitrary<HostileRequest> = (() => {
  const mostly = (...right: unknown[]) =>
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(undefined, ...right) },
      { weight: 1, arbitrary: fc.constantFrom(...HOSTILE, ...KNOWN) },
      { weight: 1, arbitrary: fc.jsonValue() }
    )
  const fields = {
    spec: mostly(CHEAP, `name: hello\n${CHEAP}`, 'name: full\n'),
    params: mostly('a b=c', '$(touch mark)'),
    dagRunId: mostly('r-1', 'r-2', 'r-3', 'holder'),
    dagName: mostly('other', 'full'),
    singleton: mostly(true, false)
  }
  const inline = fc.record({ ...fields, name: mostly('hello', 'n') })
  const to = (method: string, path: string, body: fc.Arbitrary<object>): fc.Arbitrary<HostileRequest> =>
    body.map((body) => ({ method, path, query: '', body, headers: {} }))
  return fc.oneof(
    to('POST', '/dag-runs', inline),
    to('POST', '/dags/hello/start', fc.record(fields)),
    to('POST', '/dags/full/start', fc.record(fields)),
    to('POST', '/dags/dotted.name/start', fc.record(fields)),
    to('PUT', '/dags/hello/spec', fc.record({ spec: fields.spec })),
    to('POST', '/dags', fc.record({ spec: fields.spec, name: mostly('new', 'a.b', 'hello') })),
    to('POST', '/dag-runs/hello/r-1/stop', fc.constant({})),
    to('POST', '/dag-runs/hello/r-1/retry', fc.record({ dagRunId: fields.dagRunId, stepName: mostly('cmd_1') })),
    to('POST', '/dag-runs/hello/r-1/reschedule', fc.record({ dagRunId: fields.dagRunId, dagName: fields.dagName })),
    to('PATCH', '/dag-runs/hello/r-1/steps/cmd_1/status', fc.record({ status: mostly(0, 1, 2, 3, 4, 5, 6) })),
    to('PATCH', '/dag-runs/full/holder/steps/cmd_1/status', fc.record({ status: mostly(4) })),
    to('POST', '/dags/new/rename', fc.record({ newFileName: mostly('renamed', 'hello') })),
    to('POST', '/dags/hello/suspend', fc.record({ suspend: mostly(true, false) }))
  )
})()

describe('API › fuzz with a real engine', () => {
  const api = liveApi()
  const holder = { name: 'full', dagRunId: 'holder' }

  it(`${REQUESTS} requests: never 5xx, an Error object when >= 400, nothing changed by what was refused or only read, and the server lives`, async function () {
    this.timeout(60_000)
    for (const name of ['hello', 'dotted.name']) api.write(name, CHEAP)
    api.write('full', 'steps: ["true"]\n')
    await api.startedInline({ spec: 'name: full\nsteps: [sleep 600]', dagRunId: holder.dagRunId })
    await api.ended('hello', await api.started('hello', { dagRunId: 'r-1' }))
    let before = JSON.stringify(await api.quiet())
    const seen = new Map<string, number>()

    const requests = fc.oneof({ weight: 3, arbitrary: hostileRequests(KNOWN, 40) }, { weight: 1, arbitrary: likely })
    const check = fc.asyncProperty(requests, async ({ method, path, query, body, headers }) => {
      const { status, json, text } = await api.call(method, path + query, { body, headers })
      const told = `${status} ${json?.code ?? ''}`.trim()
      seen.set(told, (seen.get(told) ?? 0) + 1)
      expect(status, text).to.be.lessThan(500)
      if (status >= 400 && method !== 'HEAD') {
        expect(json.code).to.be.oneOf(CODES)
        expect(json.message).to.be.a('string').that.is.not.equal('')
      }
      if (status < 300 && !READS.has(method)) {
        if (path.endsWith('/full/holder/stop')) await api.engine.result(holder)
        await settled()
        before = JSON.stringify(api.digest())
      } else expect(JSON.stringify(api.digest()), `${told}: nothing changed`).to.equal(before)
    })
    const { SEED } = process.env
    await fc.assert(check, {
      numRuns: REQUESTS,
      interruptAfterTimeLimit: 50_000,
      ...(SEED ? { seed: Number(SEED) } : {})
    })

    expect(api.faults).to.deep.equal([])
    expect((await api.call('GET', '/health')).json.status).to.equal('healthy')
    expect([...seen.keys()], 'requests got everywhere').to.include.members(SEEN)
    const files = [...readdirSync(api.engine.home, { recursive: true }), ...readdirSync('.')].map((file) =>
      basename(String(file))
    )
    expect(files, 'parameters in double quotes are text').not.to.include('mark')
  })

  /** Accepted runs have come to their end; the one that holds its slot goes on. */
  async function settled(): Promise<void> {
    const isHolder = ({ name, dagRunId }: RunKey) => name === holder.name && dagRunId === holder.dagRunId
    const running = api.engine.runs({ status: ['running'] }).filter((run) => !isHolder(run))
    await Promise.all(running.map((run) => api.engine.result(run)))
  }
})
