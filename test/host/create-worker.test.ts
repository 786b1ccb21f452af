/** Workers in host applications, with executors of their own. Source: distribution 3 (`executors[]` in hello), 9; docs/workers.md. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { systemClock } from '../../src/clock.ts'
import { createEngine, createWorker, defineExecutor, type HostWorker, TroupeError } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'
import { HOSTILE } from '../support/hosts/hostile-values.ts'
import { httpCollector, named, spansOf } from '../support/inspect/collector.ts'
import { simulatedNet } from '../support/simulated/bus.ts'
import { eventually } from '../support/waiting.ts'

describe('host › createWorker', function () {
  this.timeout(30_000)

  it('an executor of its own runs on workers that have it; others are not offered such steps, and explain says so', async () => {
    const done: string[] = []
    const fruit = defineExecutor({
      type: 'fruit',
      config: { kind: { is: 'text', required: true } },
      async execute({ config, env, stdout }) {
        done.push(`${config.kind} for ${env.FROM}`)
        stdout.write(`a ${config.kind}\n`)
        return { exitCode: 0, output: config.kind.toUpperCase() }
      }
    })
    const only = { ...fruit, execute: () => Promise.reject(new Error('the engine does not run it')) }
    const net = simulatedNet(systemClock)
    const engine = await createEngine({ temporary: true, executors: [only], openBus: () => net.open('engine') })
    const workers: HostWorker[] = []
    const worker = async (id: string, more: Parameters<typeof createWorker>[0] = {}) => {
      const one = await createWorker({
        home: temporaryFolder(),
        id,
        labels: { zone: 'a' },
        openBus: () => net.open(id),
        ...more
      })
      workers.push(one)
      await eventually('it serves', () => (one.isServing ? true : undefined))
      return one
    }
    try {
      await worker('wa')
      const spec = `workerSelector: {zone: a}
env: [{FROM: here}]
steps:
  - {name: one, executor: {type: fruit, config: {kind: "\${WHICH}"}}, env: [{WHICH: pear}], output: OUT}
  - {name: two, command: 'echo "got \${OUT}"', depends: one}`
      const key = await engine.start({ spec, name: 'a' })
      const [reason] = await eventually('a reason', async () => {
        const { reasons } = await engine.facts.explain(key)
        return reasons.length > 0 ? reasons : undefined
      })
      expect(reason).to.include({
        cause: 'worker_lacks_executor',
        text: '1 worker with zone=a (wa), none can run steps of type fruit'
      })
      expect((await engine.bus())?.waiting).to.deep.equal([{ selector: 'zone=a', count: 1 }])
      const wb = await worker('wb', { executors: [fruit] })
      const { run, nodes } = await engine.result(key)
      expect((await engine.bus())?.waiting).to.deep.equal([])
      expect([run.status, run.placement?.id, done]).to.deep.equal(['succeeded', 'wb', ['pear for here']])
      expect(readFileSync(nodes[1]?.node.stdout ?? '', 'utf8')).to.equal('got PEAR\n')
      expect(readFileSync(nodes[0]?.node.stdout ?? '', 'utf8')).to.match(/^a pear\n/)
      const drained = wb.drain()
      await drained
      await wb.close()
      await wb.close()
    } finally {
      await Promise.all(workers.map((one) => one.close()))
      await engine.close()
    }
  })

  it('a run on a worker is traced: spans name it, and its steps and sub runs hear of the trace, there and here', async () => {
    const collector = await httpCollector()
    const net = simulatedNet(systemClock)
    const engine = await createEngine({ temporary: true, openBus: () => net.open('engine') })
    const worker = await createWorker({
      home: temporaryFolder(),
      id: 'wa',
      labels: { zone: 'a' },
      openBus: () => net.open('wa')
    })
    try {
      const otel = `otel: {enabled: true, endpoint: "${collector.endpoint}"}`
      const spec = `workerSelector: {zone: a}
${otel}
steps: [{name: one, command: 'echo "$TRACEPARENT"'}, {name: two, call: inner, depends: one}]
---
name: inner
${otel}
steps: [{name: work, command: 'echo "$TRACEPARENT"'}]`
      const key = await engine.start({ spec, name: 'a' })
      const { run, nodes } = await engine.result(key)
      expect(run.status).to.equal('succeeded')
      const spans = await spansOf(collector, 5)
      const [top, one, two, inner, work] = ['DAG: a', 'Step: one', 'Step: two', 'DAG: inner', 'Step: work'].map(
        (name) => named(spans, name)
      )
      expect(spans.map(({ attributes }) => attributes['worker.id'])).to.deep.equal(['wa', 'wa', 'wa', 'wa', 'wa'])
      expect([one, two, inner, work].map((span) => span?.parentSpanId)).to.deep.equal(
        [top, top, two, inner].map((span) => span?.spanId)
      )
      expect(new Set(spans.map(({ traceId }) => traceId)).size).to.equal(1)
      expect(readFileSync(nodes[0]?.node.stdout ?? '', 'utf8')).to.equal(`00-${one?.traceId}-${one?.spanId}-01\n`)
    } finally {
      await worker.close()
      await engine.close()
      await collector.close()
    }
  })

  it('what is wrong with its options is named, all of it; a home that is in use is refused', async () => {
    const refused = (options: object) => createWorker(options).catch((error: TroupeError) => error.message)
    expect(await refused({ excutors: [], log: 5 })).to.match(
      /unknown option excutors; did you mean executors\?.*log: wanted/
    )
    expect(await refused({ executors: [{ type: 'x' }] })).to.contain('executors[0]: execute: wanted a function')
    expect(await refused({ maxActiveRuns: 'many', coordinators: ['box'] })).to.match(
      /worker\.maxActiveRuns: wanted an integer/
    )
    expect(await refused({ settings: { 'worker.lables': {} } })).to.contain('did you mean worker.labels?')
    const home = temporaryFolder()
    const net = simulatedNet(systemClock)
    const first = await createWorker({ home, openBus: () => net.open('one') })
    expect(await refused({ home })).to.match(/this home is in use by the worker with process id/)
    await first.close()
  })

  it('an option that cannot be read is refused, whatever it is', async () => {
    const net = simulatedNet(systemClock)
    const keys = ['home', 'config', 'id', 'labels', 'maxActiveRuns', 'coordinators', 'keyFile', 'settings', 'executors']
    for (const [what, value] of Object.entries(HOSTILE))
      for (const key of [...keys, 'secrets', 'clock', 'log']) {
        if (value() === undefined) continue
        const hostile = { home: temporaryFolder(), openBus: () => net.open('one'), [key]: value() }
        const refusal = await createWorker(hostile).then(
          (worker) => worker.close().then(() => 'opened'),
          (error: unknown) => (error instanceof TroupeError ? error.code : `${key}, ${what}: ${error}`)
        )
        expect(refusal, `${key}: ${what}`).to.be.oneOf(['bad_request', 'opened'])
      }
  })

  it('what its executors and secrets throw fails the step, never the process', async () => {
    const net = simulatedNet(systemClock)
    const hostile = (what: string | undefined): never => {
      throw HOSTILE[what ?? '']?.()
    }
    const thrower = (execute: Parameters<typeof defineExecutor>[0]['execute']) =>
      defineExecutor({ type: 'thrower', config: { what: { is: 'text', required: true } }, execute })
    const own = thrower(async ({ config }) => hostile(String(config.what)))
    const engine = await createEngine({
      temporary: true,
      executors: [thrower(async () => {})],
      openBus: () => net.open('engine')
    })
    const worker = await createWorker({
      home: temporaryFolder(),
      labels: { zone: 'a' },
      executors: [own],
      secrets: ({ key }) => hostile(key),
      openBus: () => net.open('worker')
    })
    try {
      const names = Object.keys(HOSTILE).filter((name) => name !== 'nothing')
      for (const of of ['executor', 'secrets']) {
        const keys = await Promise.all(
          names.map((what) =>
            engine.start({
              name: 'a',
              spec: JSON.stringify({
                workerSelector: { zone: 'a' },
                maxActiveRuns: -1,
                ...(of === 'secrets' ? { secrets: [{ name: 'S', provider: 'host', key: what }] } : {}),
                steps: [of === 'secrets' ? 'echo $S' : { name: 'x', executor: { type: 'thrower', config: { what } } }]
              })
            })
          )
        )
        for (const [at, key] of keys.entries())
          expect((await engine.result(key)).run.status, `${of}: ${names[at]}`).to.equal('failed')
      }
      expect(worker.isServing).to.equal(true)
    } finally {
      await worker.close()
      await engine.close()
    }
  })
})
