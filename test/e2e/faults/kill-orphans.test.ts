/** Processes that the next engine ends after a kill -9: what a step leaves of its group, and a condition. Source: execution-semantics 5.6.11, 7.3.3. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { identityOf, isAlive } from '../../../src/platform/process-identity.ts'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { gone } from '../../support/processes.ts'
import { eventually } from '../../support/waiting.ts'

/** The leader of its group ends when asked to, another member does not. */
const stubbornGroup = (home: string, end: string) => `
name: stubborn
maxCleanUpTimeSec: 3
steps:
  - name: a
    ${end}
    script: |
      echo $$ >>${home}/marks
      sh -c "trap '' TERM; echo \\$\\$ >>${home}/marks; while :; do sleep 0.1; done" &
      wait
`

const checkedStep = (home: string) => `
name: checked
steps:
  - {name: a, command: "true", preconditions: 'echo $$ >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done'}
`

describe('kill -9 of the engine in the middle of a 5-step run, start again', () => {
  for (const [title, end, ends] of [
    ['a stop', '', { status: 'canceled', error: 'signal: terminated' }],
    ['a time limit', 'timeoutSec: 1', { status: 'failed', exitCode: 124 }]
  ] as const)
    it(`7.3.3 ${title}: what a step leaves of its group when its engine ends then is killed by the next one`, async () => {
      const home = temporaryFolder()
      const first = await createEngine({ home, defaultShell: 'sh' })
      const key = await first.start({ spec: stubbornGroup(home, end), dagRunId: 'r1' })
      await eventually('both', () => marksIn(home).length > 1 || undefined)
      const [leader = 0, stubborn = 0] = marksIn(home).map(Number)
      if (!end) await first.stop(key)
      await gone(leader)
      await first.close()
      expect(identityOf(stubborn), 'it lives on').to.not.equal(undefined)
      const engine = await createEngine({ home, defaultShell: 'sh' })
      try {
        const { nodes } = await engine.result(key)
        expect(nodes[0]?.node).to.include(ends)
        await gone(stubborn, 500)
      } finally {
        await engine.close()
      }
    })

  it('5.6.11 a condition that was being checked is killed, and checked again', async () => {
    const home = temporaryFolder()
    await killedAfter(home, checkedStep(home), 1)
    const pid = Number(marksIn(home)[0])
    const before = identityOf(pid)
    expect(before && isAlive(before), 'the condition lives on').to.equal(true)
    const engine = await createEngine({ home })
    try {
      await gone(pid)
      await eventually('the next one', () => marksIn(home).length > 1 || undefined)
      writeFileSync(join(home, 'go'), '')
      const { run } = await engine.result({ name: 'checked', dagRunId: 'r1' })
      expect(run.status).to.equal('succeeded')
      expect(marksIn(home)).to.have.length(2)
    } finally {
      await engine.close()
    }
  })
})
