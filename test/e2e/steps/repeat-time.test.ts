/** A repeating step in time: waits between passes, a time limit for each, what is seen meanwhile. Source: execution-semantics 6.2.5, 6.2.6, 7.1.4. */
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('repeatPolicy', () => {
  const live = liveEngine()

  it('6.2.6 running during waits, no end shown; a wait occupies a maxActiveSteps slot; no record of each pass is left behind', async () => {
    const folder = temporaryFolder()
    const key = await live.start(`
      workingDir: ${folder}
      type: graph
      maxActiveSteps: 1
      steps:
        - {name: loop, command: 'echo x; [ ! -e pause ]', repeatPolicy: {repeat: true}}
        - {name: other, command: echo no}
    `)
    const nodeAt = (done: number) =>
      eventually(`${done} passes`, () => {
        const node = live.engine.run(key)?.nodes[0]?.node
        return (node?.doneCount ?? 0) >= done ? node : undefined
      })
    const early = await nodeAt(3)
    const later = await nodeAt(25)
    expect(later).to.include({ status: 'running', startedAt: early.startedAt })
    expect(later).not.to.have.any.keys('finishedAt')
    expect(live.engine.run(key)?.nodes[1]?.node.status).to.equal('not_started')
    const records = readdirSync(dirname(later.stdout ?? '')).filter((file) => file.endsWith('.state'))
    expect(records.length, records.join()).to.be.at.most(4)
    writeFileSync(join(folder, 'pause'), '')
    const run = await live.ended(key)
    expect(run.statuses).to.deep.equal(['failed', 'succeeded'])
  })
})
