/** kill -9 of the engine, and what the next one does to the processes of a step. Source: execution-semantics 13.5.3. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { type Ended, seen } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { lives } from '../../support/processes.ts'
import { eventually } from '../../support/waiting.ts'

const key = { name: 'cut', dagRunId: 'r1' }

/** Opens the home again, and waits for the run's end. */
async function goesOn(home: string): Promise<Ended> {
  const engine = await createEngine({ home, defaultShell: 'sh' })
  try {
    return seen(await engine.result(key))
  } finally {
    await engine.close()
  }
}
const pidsIn = (home: string) => marksIn(home).map((line) => Number(line.split(' ')[1]))

/** A step that ignores every signal it can, with a child that does so too; says their pids. The second time it ends at once. */
const stubborn = (home: string, policy: string) => `
name: cut
${policy}
steps:
  - name: a
    script: |
      if [ -e ${home}/marks ]; then echo again $$ >>${home}/marks; exit 0; fi
      trap '' TERM INT HUP
      sh -c 'trap "" TERM INT HUP; while :; do sleep 1; done' &
      child=$!
      echo child $child >${home}/both
      echo leader $$ >>${home}/both
      mv ${home}/both ${home}/marks
      while [ ! -e ${home}/go ]; do sleep 0.05; done
      kill -9 $child
    retryPolicy: {limit: 2, intervalSec: 0}
`

describe('13.5.3 kill -9 of the engine while a step runs, with each onInterrupt', () => {
  it('fail: what lives is killed, the whole group, however stubborn; failed without a retry', async () => {
    const home = temporaryFolder()
    await killedAfter(home, stubborn(home, 'onInterrupt: fail'), 2)
    const pids = pidsIn(home)
    expect(pids.filter(lives)).to.deep.equal(pids)
    const run = await goesOn(home)
    expect(run.node('a')).to.include({
      status: 'failed',
      error: 'interrupted: killed after a restart of the engine',
      exitCode: -1,
      retryCount: 0,
      doneCount: 1
    })
    expect(pids.filter(lives)).to.deep.equal([])
    expect(run.status).to.equal('failed')
  })

  it('a step that ended meanwhile keeps its recorded end, whatever onInterrupt says', async () => {
    for (const policy of ['fail', 'rerun']) {
      const home = temporaryFolder()
      await killedAfter(home, stubborn(home, `onInterrupt: ${policy}`), 2)
      writeFileSync(join(home, 'go'), '')
      await eventually('its end', () => (pidsIn(home).some(lives) ? undefined : true))
      await new Promise((resolve) => setTimeout(resolve, 300)) // its holder writes it down
      const run = await goesOn(home)
      expect(run.node('a'), policy).to.include({ status: 'succeeded', retryCount: 0, doneCount: 1 })
      expect(marksIn(home)).to.have.length(2)
    }
  })
})
