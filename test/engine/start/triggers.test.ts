/** Who or what asked for a run is stored with it, told by its details and its journal. Source: http-api "DAG run summary" (`trigger`). */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, type Engine } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('engine › triggers', () => {
  let engine: Engine
  const spec = 'name: t\nmaxActiveRuns: -1\nsteps: [{name: a, command: "false"}]'
  const triggerOf = (dagRunId: string) => engine.record({ name: 't', dagRunId })?.trigger
  const first = { name: 't', dagRunId: 'first' }
  before(async () => {
    engine = await createEngine({ home: temporaryFolder(), defaultShell: 'sh' })
    await engine.result(await engine.start({ spec, dagRunId: 'first' }))
  })
  after(() => engine.close({ runs: 'stop' }))

  it('a start of the application is by the host', () => {
    expect(triggerOf('first')).to.deep.equal({ type: 'host' })
  })

  it('a start for somebody names the user, and the journal tells it', async () => {
    const key = await engine.start({ spec, dagRunId: 'ann', by: 'ann', via: 'api' })
    await engine.result(key)
    expect(triggerOf('ann')).to.deep.equal({ type: 'api', by: 'ann' })
    const [asked, ...others] = engine.journal(key, 0, 100)
    expect(asked).to.include({ event: 'start.requested' })
    expect(asked?.trigger).to.deep.equal({ type: 'api', by: 'ann' })
    expect(others.filter(({ trigger }) => trigger)).to.deep.equal([])
  })

  it('a retry of the same run is the trigger of its latest attempt', async () => {
    const key = await engine.start({ spec, dagRunId: 'again' })
    await engine.result(key)
    await engine.retry(key, { by: 'ops', via: 'cli' })
    await engine.result(key)
    expect(triggerOf('again')).to.deep.equal({ type: 'cli', again: 'retry', by: 'ops' })
    const asked = engine.journal(key, 0, 100).filter(({ event }) => event === 'start.requested')
    expect(asked.map(({ trigger }) => trigger)).to.deep.equal([
      { type: 'host' },
      { type: 'cli', again: 'retry', by: 'ops' }
    ])
  })

  it('a retry under another id, a reschedule and a start from a run name the run that they repeat', async () => {
    for (const [dagRunId, again, begin] of [
      ['copy', 'retry', () => engine.retry(first, { dagRunId: 'copy' })],
      ['later', 'reschedule', () => engine.reschedule(first, { dagRunId: 'later' })],
      ['once-more', 'restart', () => engine.start({ fromRun: first, dagRunId: 'once-more' })]
    ] as const) {
      await engine.result(await begin())
      expect(triggerOf(dagRunId)).to.deep.equal({ type: 'host', again, of: first })
    }
  })

  it('a sub DAG run has its caller', async () => {
    const file = join(temporaryFolder(), 'p.yaml')
    writeFileSync(file, 'steps: [{name: c, call: kid}]\n---\nname: kid\nsteps: ["true"]\n')
    const key = await engine.start({ file })
    await engine.result(key)
    const [sub] = engine.subRuns(key)
    expect([sub?.trigger, sub?.caller?.parent]).to.deep.equal([undefined, key])
  })
})
