/** Runs of definitions in code when an engine opens with another version. Source: embedding 2.7; docs/embedding/upgrades.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, type Dag, defineDag, type Engine } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'
import { eventually } from '../support/waiting.ts'

/** @param command of its second step, which the plan has */
const dagOf = (version: string, onDrift: 'continue' | 'fail', go: string, command = 'echo second') =>
  defineDag({ name: 'drifting', version, onDrift, maxActiveRuns: 9 }, (d) => {
    const first = d.shell('first', `until test -e ${go}; do sleep 0.05; done; echo ${version}`)
    return { first, second: d.shell('second', command, { depends: [first] }) }
  })

describe('drift', () => {
  const states = (engine: Engine, dagRunId: string) =>
    engine.facts.run({ name: 'drifting', dagRunId }).actors.map(({ states }) => states.at(-1))

  for (const onDrift of ['continue', 'fail'] as const)
    it(`onDrift ${onDrift}: ${onDrift === 'continue' ? 'a run keeps its plan and goes on' : 'a run of another version waits, explained; a stop ends it, its version continues it'}`, async () => {
      const home = temporaryFolder()
      const go = join(home, 'go')
      const one = dagOf('1', onDrift, go)
      const two = dagOf('2', onDrift, go, 'echo changed')
      const opened = (...dags: Dag[]) => createEngine({ home, defaultShell: 'sh', dags })
      let engine = await opened(one)
      try {
        for (const dagRunId of ['a', 'b']) await engine.start(one, {}, { dagRunId })
        await eventually(
          'both run',
          () => ['a', 'b'].every((id) => states(engine, id).includes('attempting.executing')) || undefined
        )
        await engine.close()

        engine = await opened(two)
        const [a, b] = [engine.handle(two, 'a'), engine.handle(two, 'b')]
        expect(a.view().plan.release).to.include({ version: '1', planHash: one.planHash })
        if (onDrift === 'continue') {
          writeFileSync(go, '')
          expect(await a.result({ timeoutMs: 20_000 })).to.deep.equal({ first: '1', second: 'second' })
          await b.result()
          return
        }
        expect(states(engine, 'a')[0]).to.equal('superseded')
        const [reason, ofStep] = engine.facts.explain({ name: 'drifting', dagRunId: 'a' }).reasons
        expect(reason).to.include({ cause: 'run_superseded', waiting: true })
        expect(reason?.text).to.equal(
          'the run was started by version 1 of drifting, and the application on this home has version 2 (onDrift: fail)'
        )
        expect(ofStep).to.deep.include({ cause: 'step_superseded', about: { kind: 'node', name: 'first' } })
        await b.stop()
        expect(await b.result().catch(({ name }: Error) => name)).to.equal('RunCanceled')

        writeFileSync(go, '')
        const fresh = await engine.start(two, {}, { dagRunId: 'fresh' })
        expect(await fresh.result({ timeoutMs: 20_000 })).to.deep.equal({ first: '2', second: 'changed' })
        // A retry takes the old plan, and so does a start from an earlier run: both wait for its version.
        await engine.retry({ name: 'drifting', dagRunId: 'b' })
        await engine.start({ fromRun: { name: 'drifting', dagRunId: 'a' }, dagRunId: 'c' })
        await eventually(
          'both wait',
          () => ['b', 'c'].every((id) => states(engine, id)[0] === 'superseded') || undefined
        )
        await engine.close()

        engine = await opened()
        expect(states(engine, 'a')[0], 'a program without the definition has no say').to.equal('superseded')
        await engine.close()

        engine = await opened(one)
        for (const id of ['a', 'b', 'c'])
          expect(await engine.handle(one, id).result({ timeoutMs: 20_000 })).to.deep.equal({
            first: '1',
            second: 'second'
          })
      } finally {
        await engine.close()
      }
    })

  it('a run that waits for its version holds no place: one of today starts, by hand and again after a restart; then it has its place again', async () => {
    const home = temporaryFolder()
    const go = join(home, 'go')
    const [one, two] = ['1', '2'].map((version) =>
      defineDag({ name: 'narrow', version, onDrift: 'fail', maxActiveRuns: 1 }, (d) => {
        d.shell('first', version === '1' ? `until test -e ${go}; do sleep 0.05; done` : 'true')
      })
    ) as [Dag<unknown, unknown, unknown>, Dag<unknown, unknown, unknown>]
    const opened = (dag: Dag) => createEngine({ home, defaultShell: 'sh', dags: [dag] })
    const refused = (engine: Engine, dag: Dag) =>
      engine.start(dag, {}).then(
        () => 'started',
        ({ code, message }) => `${code}: ${message}`
      )
    const key = { name: 'narrow', dagRunId: 'a' }
    let engine = await opened(one)
    try {
      await engine.start(one, {}, { dagRunId: 'a' })
      const full =
        'max_run_reached: narrow already has 1 active run (limit 1): maxActiveRuns of the definition allows no more; an enqueued run waits for its turn'
      expect(await refused(engine, one)).to.equal(full)
      for (const dagRunId of ['b', 'c']) {
        await engine.close()
        engine = await opened(two)
        await eventually('it waits', () => engine.record(key)?.superseded)
        expect(await engine.start(two, {}, { dagRunId: `dry-${dagRunId}` }).then((run) => run.result())).to.equal(null)
      }
      await engine.close()

      engine = await opened(one)
      expect(engine.record(key)?.superseded).to.equal(undefined)
      expect(await refused(engine, one)).to.equal(full)
      writeFileSync(go, '')
      expect(await engine.handle(one, 'a').result({ timeoutMs: 20_000 })).to.equal(null)
      expect(await refused(engine, one)).to.equal('started')
    } finally {
      await engine.close({ runs: 'stop' })
    }
  })
})
