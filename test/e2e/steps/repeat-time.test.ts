/** A repeating step in time: waits between passes, a time limit for each, what is seen meanwhile. Source: execution-semantics 6.2.5, 6.2.6, 7.1.4. */
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { type Ended, liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

/** Distances between the instants that a step wrote, in seconds with one digit. */
function waitsOf(run: Ended, name: string): number[] {
  const at = run.out(name).trim().split('\n').map(Number)
  return at.slice(1).map((time, index) => Math.round((time - (at[index] ?? 0)) / 100) / 10)
}

describe('repeatPolicy', () => {
  const live = liveEngine()

  it('6.2.5 wait before pass n+1: interval, or interval * backoff^(n-1) cut to maxIntervalSec', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: growing, command: date +%s%3N, repeatPolicy: {repeat: true, limit: 3, intervalSec: 1, backoff: 2}}
        - {name: cut, command: date +%s%3N, repeatPolicy: {repeat: true, limit: 3, intervalSec: 1, backoff: 2, maxIntervalSec: 1}}
    `)
    const [first = 0, second = 0] = waitsOf(run, 'growing')
    expect(first).to.be.within(1, 1.7)
    expect(second).to.be.within(2, 2.7)
    for (const wait of waitsOf(run, 'cut')) expect(wait).to.be.within(1, 1.7)
  })

  it('7.1.4 timeoutSec is per pass; a pass that times out is one that failed with code 124', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      steps:
        - name: a
          command: "[ -e again ] || { touch again; exec sleep 60; }"
          timeoutSec: 1
          repeatPolicy: {repeat: while, exitCode: [124]}
    `)
    expect(run.node('a')).to.include({ status: 'succeeded', doneCount: 2, exitCode: 0 })
  })

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
