/** How many steps of a run, and how many runs of a DAG, go on at once. Source: execution-semantics 7.2. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('concurrency inside and between runs', () => {
  const live = liveEngine()

  it('7.2.3 maxActiveRuns under parallel requests: exactly so many start, the others are refused with max_run_reached; 1 is the default', async () => {
    const folder = temporaryFolder()
    for (const [limit, field] of [
      [1, ''],
      [1, 'maxActiveRuns: 0'],
      [3, 'maxActiveRuns: 3']
    ] as const) {
      const name = `limited-${limit}-${field.length}`
      const spec = `${field}\nname: ${name}\nsteps: ["while [ ! -e ${folder}/${name} ]; do sleep 0.02; done"]`
      const results = await Promise.allSettled(Array.from({ length: 10 }, () => live.engine.start({ spec })))
      const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      expect(started, name).to.have.length(limit)
      for (const error of refused)
        expect(error).to.deep.include({ code: 'max_run_reached', details: { limit, running: limit, queued: 0 } })
      writeFileSync(join(folder, name), '')
      const runs = await Promise.all(started.map((key) => live.ended(key)))
      expect(runs.map(({ status }) => status)).to.deep.equal(started.map(() => 'succeeded'))
      const next = await live.ended(await live.engine.start({ spec }))
      expect(next.status, 'slots are free again').to.equal('succeeded')
    }
  })

  it('7.2.3 singleton and one running is refused, also under parallel requests; 7.2.5 negative maxActiveRuns: always starts at once', async () => {
    const folder = temporaryFolder()
    const spec = `name: single\nmaxActiveRuns: -1\nsteps: ["while [ ! -e ${folder}/go ]; do sleep 0.02; done"]`
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => live.engine.start({ spec, singleton: true }))
    )
    const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(started).to.have.length(1)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).to.have.property('code', 'max_run_reached')
    const more = await Promise.all([live.engine.start({ spec }), live.engine.start({ spec })])
    writeFileSync(join(folder, 'go'), '')
    const runs = await Promise.all([...started, ...more].map((key) => live.ended(key)))
    expect(runs.map(({ status }) => status)).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
  })
})
