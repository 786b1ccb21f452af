/** How many runs of a definition in code there may be, and what a refusal names. Source: docs/embedding/README.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { defineDag } from '../../src/builder/define-dag.ts'
import { testEngine } from '../../src/testing/index.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('definitions in code › limits', () => {
  const open = defineDag({ name: 'open' }, (d) => d.approval('ask'))
  const narrow = defineDag({ name: 'narrow', maxActiveRuns: 1 }, (d) => d.approval('ask'))
  const shared = defineDag({ name: 'shared', maxActiveRuns: 2, queue: 'both' }, (d) => d.approval('ask'))
  const messageOf = (start: Promise<unknown>) =>
    start.then(
      () => 'started',
      ({ code, message }) => `${code}: ${message}`
    )

  it('one that says no limit has none; a refusal by another names maxActiveRuns and the way past it', async () => {
    const engine = await testEngine({ dags: [open, narrow, shared] })
    try {
      for (let run = 0; run < 3; run++) await engine.start(open, {})
      expect(engine.runs({ name: 'open', status: ['running'] })).to.have.length(3)
      await engine.start(narrow, {})
      const full = 'max_run_reached: narrow already has 1 active run (limit 1): '
      const more = 'maxActiveRuns of the definition allows no more; an enqueued run waits for its turn'
      expect(await messageOf(engine.start(narrow, {}))).to.equal(`${full}${more}`)
      expect(await messageOf(engine.start({ fileName: 'narrow' }))).to.equal(`${full}${more}`)
      expect(await messageOf(engine.start(narrow, {}, { enqueue: true, singleton: true }))).to.equal(
        `${full}a singleton waits beside no other run`
      )
      expect(await messageOf(engine.start(narrow, {}, { enqueue: true }))).to.equal('started')
      for (let run = 0; run < 2; run++) await engine.start(shared, {}, { enqueue: true })
      expect(await messageOf(engine.start(shared, {}, { enqueue: true }))).to.match(
        /: maxActiveRuns of the definition counts the runs that wait, too$/
      )
    } finally {
      await engine.close()
    }
  })
  it('7.2.4 one that names a queue waits in it when the queue is full, though it says no limit', async () => {
    const lined = defineDag({ name: 'lined', queue: 'one' }, (d) => d.approval('ask'))
    const config = join(temporaryFolder(), 'config.yaml')
    writeFileSync(config, 'queues: {config: [{name: one, maxConcurrency: 1}]}\n')
    const engine = await testEngine({ dags: [lined], settings: { config } })
    try {
      await engine.start(lined, {})
      await engine.start(lined, {})
      const statuses = engine.runs({ name: 'lined' }).map(({ status }) => status)
      expect(statuses.sort()).to.deep.equal(['queued', 'running'])
    } finally {
      await engine.close()
    }
  })
})
