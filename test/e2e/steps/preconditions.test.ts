/** What a condition is, when it is met, and what is skipped or canceled when it is not. Source: execution-semantics 5.6. */
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { gone, pidIn } from '../../support/processes.ts'

describe('preconditions', () => {
  const live = liveEngine()

  it('5.6.11 a condition that is still running when a stop arrives leaves its node canceled, and is killed', async () => {
    const folder = temporaryFolder()
    const key = await live.start(`
      workingDir: ${folder}
      steps:
        - {name: waits, command: echo no, preconditions: ["echo $$ >pid; exec sleep 60"]}
    `)
    const pid = await pidIn(join(folder, 'pid'))
    await live.engine.stop(key)
    const run = await live.ended(key)
    expect([run.status, ...run.statuses]).to.deep.equal(['canceled', 'canceled'])
    await gone(pid)
  })
})
