/** kill -9 of the engine in a pass, in a wait and in a delay, and with each onInterrupt. Source: execution-semantics 6.2, 7.1.5, 13.5.3. */
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, type Engine } from '../../../src/index.ts'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { type Ended, seen } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { lives } from '../../support/processes.ts'
import { eventually } from '../../support/waiting.ts'

const key = { name: 'cut', dagRunId: 'r1' }

/** Opens the home again, lets `meanwhile` happen, and waits for the run's end. */
async function goesOn(home: string, meanwhile: (engine: Engine) => Promise<void> | void = () => {}): Promise<Ended> {
  const engine = await createEngine({ home, defaultShell: 'sh' })
  try {
    await meanwhile(engine)
    return seen(await engine.result(key))
  } finally {
    await engine.close()
  }
}
const pidsIn = (home: string) => marksIn(home).map((line) => Number(line.split(' ')[1]))

describe('kill -9 of the engine, and a step that repeats', () => {
  it('in a pass: it is resumed like an attempt, counts once, and the loop goes on', async () => {
    const home = temporaryFolder()
    await killedAfter(
      home,
      `
name: cut
steps:
  - name: a
    command: 'echo pass $$ >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done'
    repeatPolicy: {repeat: true, limit: 3}
`,
      1
    )
    const run = await goesOn(home, () => writeFileSync(join(home, 'go'), ''))
    expect(run.node('a')).to.include({ status: 'succeeded', doneCount: 3, retryCount: 0 })
    expect(marksIn(home)).to.have.length(3)
  })

  it('in the wait: it keeps its instant', async () => {
    const home = temporaryFolder()
    await killedAfter(
      home,
      `
name: cut
steps:
  - {name: a, command: 'date "+at %s%3N" >>${home}/marks', repeatPolicy: {repeat: true, limit: 2, intervalSec: 3}}
`,
      1,
      400
    )
    const run = await goesOn(home, (engine) => {
      expect(engine.run(key)?.nodes[0]?.node).to.include({ status: 'running', doneCount: 1 })
    })
    expect(run.node('a')).to.include({ status: 'succeeded', doneCount: 2 })
    const [first = 0, second = 0] = pidsIn(home)
    expect(second - first).to.be.within(2_900, 4_200)
  })

  it('in a pass, and then the run is stopped: the pass at work is the last one', async () => {
    const home = temporaryFolder()
    await killedAfter(
      home,
      `
name: cut
maxCleanUpTimeSec: 60
steps:
  - name: a
    command: 'echo pass $$ >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done'
    repeatPolicy: {repeat: true}
`,
      1
    )
    const run = await goesOn(home, async (engine) => {
      await engine.stop(key)
      writeFileSync(join(home, 'go'), '')
    })
    expect(run.node('a')).to.include({ status: 'succeeded', doneCount: 1 })
    expect(run.status).to.equal('succeeded')
  })
})

describe('kill -9 of the engine in an initial delay', () => {
  it('the delay keeps its instant', async () => {
    const home = temporaryFolder()
    await killedAfter(home, `name: cut\ndelaySec: 3\nsteps: [{name: a, command: echo x}]\n`, 0, 500)
    const run = await goesOn(home)
    expect((run.node('a').startedAt ?? 0) - (run.run.startedAt ?? 0)).to.be.within(3_000, 4_200)
    expect(run.status).to.equal('succeeded')
  })
})

/** A step that ignores every signal it can, with a child that does so too; says their pids. The second time it ends at once. */
const stubborn = (home: string, policy: string, ofStep = '') => `
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
    ${ofStep}
`

describe('13.5.3 kill -9 of the engine while a step runs, with each onInterrupt', () => {
  it('resume: adopted, its true end is recorded', async () => {
    const home = temporaryFolder()
    await killedAfter(home, stubborn(home, 'onInterrupt: resume'), 2)
    const pids = pidsIn(home)
    const run = await goesOn(home, () => {
      expect(pids.filter(lives)).to.deep.equal(pids)
      writeFileSync(join(home, 'go'), '')
    })
    expect(run.node('a')).to.include({ status: 'succeeded', retryCount: 0, doneCount: 1 })
  })

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

  it('rerun, by the step: what lives is killed, then it is executed again, and no retry is counted', async () => {
    const home = temporaryFolder()
    await killedAfter(home, stubborn(home, 'onInterrupt: fail', 'onInterrupt: rerun'), 2)
    const pids = pidsIn(home)
    const run = await goesOn(home)
    expect(run.node('a')).to.include({ status: 'succeeded', exitCode: 0, retryCount: 0, doneCount: 1 })
    expect(marksIn(home)).to.have.length(3)
    expect(pids.filter(lives)).to.deep.equal([])
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

  it('outcome unknown: resume leaves it to retryPolicy, fail fails, rerun executes again', async () => {
    for (const [policy, wanted, marks] of [
      ['resume', { status: 'succeeded', retryCount: 1 }, 3],
      ['fail', { status: 'failed', retryCount: 0, error: 'interrupted: outcome unknown' }, 2],
      ['rerun', { status: 'succeeded', retryCount: 0 }, 3]
    ] as const) {
      const home = temporaryFolder()
      await killedAfter(home, stubborn(home, `onInterrupt: ${policy}`), 2)
      const pids = pidsIn(home)
      const [, leader = 0] = pids
      // Its holder first: nobody is left to say how it ended.
      const holder = await holderOf(leader)
      for (const pid of [holder, ...pids]) process.kill(pid, 'SIGKILL')
      await eventually('their end', () => (pids.some(lives) ? undefined : true))
      const run = await goesOn(home)
      expect(run.node('a'), policy).to.include(wanted)
      expect(marksIn(home), policy).to.have.length(marks)
    }
  })
})

/** What holds a step: its parent. */
async function holderOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}
