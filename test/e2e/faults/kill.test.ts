/** Steps outlive the engine: kill -9 in the middle of a run. Source: architecture 4, 5; reliability P1, P4, P5, P8, P9. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { identityOf, isAlive } from '../../../src/platform/process-identity.ts'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

/** The steps of a run whose log folder somebody removes. */
const withoutLogs = (home: string) => `
name: removed
type: graph
steps:
  - {name: lives, command: 'echo lives >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done; exit 7'}
  - {name: ended, command: 'echo ended $$ >>${home}/marks; while [ ! -e ${home}/over ]; do sleep 0.05; done'}
  - {name: wanted, command: 'echo wanted >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done', output: OUT}
`

const fiveSteps = (home: string) => `
name: five
steps:
  - name: one
    command: echo one >>${home}/marks
  - name: two
    command: echo two >>${home}/marks
  - name: three
    script: |
      echo three $$ >>${home}/marks
      echo before
      while [ ! -e ${home}/go ]; do sleep 0.05; done
      echo after
      exit 7
    output: THREE
    continueOn:
      exitCode: 7
      markSuccess: true
  - name: four
    command: echo "four \${THREE}" >>${home}/marks
  - name: five
    command: echo five >>${home}/marks
`

describe('kill -9 of the engine in the middle of a 5-step run, start again', () => {
  it('the running step was not disturbed, its true exit code is recorded, the run ends succeeded, no step ran twice', async () => {
    const home = temporaryFolder()
    await killedAfter(home, fiveSteps(home), 3)
    const pid = Number(marksIn(home)[2]?.split(' ')[1])
    const before = identityOf(pid)
    expect(before && isAlive(before), 'the step lives on').to.equal(true)
    const engine = await createEngine({ home })
    try {
      expect(engine.record({ name: 'five', dagRunId: 'r1' })).to.include({ status: 'running' })
      writeFileSync(join(home, 'go'), '')
      const { run, nodes } = await engine.result({ name: 'five', dagRunId: 'r1' })
      expect(run.status).to.equal('succeeded')
      expect(nodes.map(({ node }) => node.exitCode)).to.deep.equal([0, 0, 7, 0, 0])
      expect(nodes[2]?.node.output).to.equal('before\nafter')
      expect(marksIn(home)).to.deep.equal(['one', 'two', `three ${pid}`, 'four before', 'after', 'five'])
    } finally {
      await engine.close()
    }
  })

  it('a step that finished while the engine was down is recorded with its true exit code and its true end time', async function () {
    this.retries(WHEN_BUSY)
    const home = temporaryFolder()
    await killedAfter(home, fiveSteps(home), 3)
    const pid = Number(marksIn(home)[2]?.split(' ')[1])
    writeFileSync(join(home, 'go'), '')
    await eventually('the end of the step', () => (identityOf(pid) ? undefined : true))
    const endedBy = Date.now()
    await new Promise((resolve) => setTimeout(resolve, 300))
    const engine = await createEngine({ home })
    try {
      const { run, nodes } = await engine.result({ name: 'five', dagRunId: 'r1' })
      expect(run.status).to.equal('succeeded')
      expect(nodes[2]?.node).to.include({ exitCode: 7 })
      expect(nodes[2]?.node.finishedAt).to.be.at.most(endedBy + 100)
    } finally {
      await engine.close()
    }
  })

  it('P9 a step that ended in time while the engine was down keeps its end, although its time limit or the run’s is over since', async () => {
    for (const [limit, expected] of [
      ['', 'succeeded succeeded succeeded'],
      ['timeoutSec: 2', 'failed succeeded canceled']
    ] as const) {
      const home = temporaryFolder()
      const command = `'echo a >>${home}/marks; sleep 0.5; echo out'`
      const ofStep = limit === '' ? 'timeoutSec: 2, ' : ''
      const steps = `[{name: a, ${ofStep}command: ${command}, output: OUT}, {name: b, command: 'true'}]`
      await killedAfter(home, `name: timed\n${limit}\nsteps: ${steps}`, 1)
      await new Promise((resolve) => setTimeout(resolve, 2_500)) // nobody is there
      const engine = await createEngine({ home })
      try {
        const { run, nodes } = await engine.result({ name: 'timed', dagRunId: 'r1' })
        expect([run.status, ...nodes.map(({ node }) => node.status)].join(' ')).to.equal(expected)
        expect(nodes[0]?.node).to.include({ exitCode: 0, output: 'out' })
      } finally {
        await engine.close()
      }
    }
  })

  itLong(
    'P9 a step that was adopted ends, and its holder waits for its output, which something that it leaves behind holds open: its true exit code is recorded',
    async () => {
      const home = temporaryFolder()
      const waits = `while [ ! -e ${home}/go ]; do sleep 0.05; done`
      const command = `'echo a >>${home}/marks; ${waits}; sleep 6 & echo said'`
      await killedAfter(home, `name: left\nsteps: [{name: a, command: ${command}, stdout: ${home}/copy}]`, 1)
      const engine = await createEngine({ home })
      try {
        writeFileSync(join(home, 'go'), '')
        const { run, nodes } = await engine.result({ name: 'left', dagRunId: 'r1' })
        expect(nodes[0]?.node).to.include({ status: 'succeeded', exitCode: 0 })
        expect(run.status).to.equal('succeeded')
        expect(readFileSync(join(home, 'copy'), 'utf8')).to.equal('said\n')
      } finally {
        await engine.close()
      }
    }
  )

  it('13.5.3 the log folder was removed with the records in it: what lives is adopted, what has ended is unknown, no step runs twice', async () => {
    const home = temporaryFolder()
    await killedAfter(home, withoutLogs(home), 3)
    const pid = Number(
      marksIn(home)
        .find((mark) => mark.startsWith('ended'))
        ?.split(' ')[1]
    )
    rmSync(join(home, 'logs'), { recursive: true })
    writeFileSync(join(home, 'over'), '')
    await eventually('the end of the step', () => (identityOf(pid) ? undefined : true))
    const engine = await createEngine({ home })
    try {
      writeFileSync(join(home, 'go'), '')
      const { run, nodes } = await engine.result({ name: 'removed', dagRunId: 'r1' })
      expect(run.status).to.equal('failed')
      const unknown = 'interrupted: outcome unknown: '
      expect(nodes.map(({ node }) => node.error)).to.deep.equal([
        'failed to execute step "lives": exit status 7',
        `${unknown}its log folder was removed, and the record of it with that`,
        `${unknown}its output is gone with its log folder`
      ])
      expect(marksIn(home).map((mark) => mark.split(' ')[0])).to.have.members(['lives', 'ended', 'wanted'])
    } finally {
      await engine.close()
    }
  })

  it('P5 no record of the journal is written over: what a step did alone before the kill is still recorded', async () => {
    const home = temporaryFolder()
    const waits = `
name: waits
type: graph
steps:
  - {name: fails, command: 'echo x >>${home}/marks; [ -e ${home}/go ]', retryPolicy: {limit: 1, intervalSec: 2}}
  - {name: other, command: 'while [ ! -e ${home}/go ]; do sleep 0.05; done'}
`
    await killedAfter(home, waits, 1, 500)
    const engine = await createEngine({ home })
    try {
      writeFileSync(join(home, 'go'), '')
      const { run } = await engine.result({ name: 'waits', dagRunId: 'r1' })
      expect(run.status).to.equal('succeeded')
      const moves = engine.journal(run, 0, 100).filter(({ step }) => step === 'fails')
      expect(moves.map(({ from, to }) => `${from} > ${to}`)).to.deep.equal([
        ' > attempting.executing',
        'attempting.executing > waiting',
        'waiting > attempting.executing',
        'attempting.executing > succeeded'
      ])
    } finally {
      await engine.close()
    }
  })
})
