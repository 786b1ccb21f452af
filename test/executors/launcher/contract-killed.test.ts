/** What kill -9 of the engine, of the launcher, and of both leaves behind. Source: reliability 3.1, P9. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { statOf } from '../../../src/platform/process-identity.ts'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { gone, lives } from '../../support/processes.ts'
import { eventually } from '../../support/waiting.ts'

const key = { name: 'held', dagRunId: 'r1' }
/** Two steps that wait and one that follows; each says its pid. */
const held = (home: string) => `
name: held
type: graph
steps:
  - {name: a, command: 'echo a $$ >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done; exit 7', continueOn: {failure: true}}
  - {name: b, command: 'echo b $$ >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done; kill -9 $$', continueOn: {failure: true}}
  - {name: c, depends: [a, b], command: 'echo c $$ >>${home}/marks'}
`
const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'latin1')

/** What the records of the home's executions say. */
const records = (home: string) =>
  readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.state'))
    .map((path) => readFileSync(join(home, path), 'utf8'))
    .join('')

/** The processes in the session of one. */
function sessionOf(pid: number): number[] {
  const session = statOf(pid)?.session
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => session !== undefined && statOf(each)?.session === session)
}

describe('launcher › kill -9', function () {
  this.timeout(60_000)
  /** The home of a killed engine, its steps, and what holds them. */
  async function killed() {
    const home = temporaryFolder()
    await killedAfter(home, held(home), 2)
    const pids = marksIn(home).map((mark) => Number(mark.split(' ')[1]))
    const holders = [...new Set(pids.map((pid) => statOf(pid)?.parent ?? 0))]
    return { home, pids, holders }
  }

  it('of the engine: its steps live on in the same hands and are adopted, with their exact ends', async () => {
    const { home, pids, holders } = await killed()
    expect(holders).to.have.length(1)
    for (const pid of holders) expect(commandOf(pid)).to.match(/^troupe-launcher\0/)
    const engine = await createEngine({ home })
    try {
      expect(pids.filter(lives)).to.deep.equal(pids)
      writeFileSync(join(home, 'go'), '')
      const { nodes } = await engine.result(key)
      expect(nodes.map(({ node }) => node.error)).to.deep.equal([
        'failed to execute step "a": exit status 7',
        'failed to execute step "b": signal: killed',
        undefined
      ])
      expect(
        marksIn(home)
          .map((mark) => mark[0])
          .sort()
      ).to.deep.equal(['a', 'b', 'c'])
      for (const holder of holders) await gone(holder)
    } finally {
      await engine.close()
    }
  })

  it('of the engine, and its steps end before the next one: their exact ends are on record', async () => {
    const { home, holders } = await killed()
    writeFileSync(join(home, 'go'), '')
    for (const holder of holders) await gone(holder)
    const engine = await createEngine({ home })
    try {
      const { nodes } = await engine.result(key)
      expect(nodes.map(({ node }) => [node.exitCode, node.status])).to.deep.equal([
        [7, 'failed'],
        [-1, 'failed'],
        [0, 'succeeded']
      ])
    } finally {
      await engine.close()
    }
  })

  for (const [what, besides] of [
    ['copies', "stdout: 'HOME/copy'"],
    ['masks', "secrets: [{name: TOKEN, provider: file, key: 'HOME/token'}]"]
  ] as const)
    it(`of the engine and of what holds its steps, when one has ended and what ${what} its output is not through: its exact end is on record`, async () => {
      const home = temporaryFolder()
      // A process that it leaves behind holds its output.
      const command = `sleep 60 & echo a $$ $PPID $! >>${home}/marks; exit 7`
      const given = besides.replace('HOME', home)
      writeFileSync(join(home, 'token'), 'not-to-be-shown')
      const ofStep = what === 'copies' ? `, ${given}` : ''
      const ofRun = what === 'masks' ? `${given}\n` : ''
      const spec = `name: held\n${ofRun}steps:\n  - {name: a, command: '${command}'${ofStep}}\n`
      await killedAfter(home, spec, 1)
      const [pid = 0, parent = 0, left = 0] = (marksIn(home)[0] ?? '').split(' ').slice(1).map(Number)
      await gone(pid)
      await eventually('its exit on record', () => records(home).includes('\nseen 7 0\n') || undefined)
      for (const each of sessionOf(parent)) process.kill(each, 'SIGKILL')
      process.kill(left, 'SIGKILL')
      const engine = await createEngine({ home })
      try {
        const { nodes } = await engine.result(key)
        expect(nodes.map(({ node }) => node.error)).to.deep.equal(['failed to execute step "a": exit status 7'])
      } finally {
        await engine.close()
      }
    })

  it('of the engine and of what holds its steps: these live on and are adopted; how they end nobody knows, and it is said', async () => {
    const { home, pids, holders } = await killed()
    for (const holder of holders) process.kill(holder, 'SIGKILL')
    const engine = await createEngine({ home })
    try {
      expect(pids.filter(lives)).to.deep.equal(pids)
      writeFileSync(join(home, 'go'), '')
      const { nodes } = await engine.result(key)
      expect(nodes.map(({ node }) => node.error)).to.deep.equal([
        'interrupted: outcome unknown',
        'interrupted: outcome unknown',
        undefined
      ])
      expect(marksIn(home)).to.have.length(3)
    } finally {
      await engine.close()
    }
  })
})
