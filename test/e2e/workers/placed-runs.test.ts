/** Runs on workers: real programs, a real broker. Source: distribution 1, 5; definition-format `workerSelector`. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { logTimes, timesPath } from '../../../src/platform/log-times.ts'
import { logIn, openPlacing, type Placing } from '../../support/cli/placing.ts'
import { textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { needsNats } from '../../support/nats.ts'
import { gone } from '../../support/processes.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

const marks = (path: string) => textOf(path).split('\n').slice(0, -1)

/** How many seconds each line, which says its own, is away from what is noted of it. */
async function errorsOf(path: string): Promise<number[]> {
  const times = await logTimes(path, statSync(path))
  let offset = 0
  return marks(path).map((line) => {
    const noted = times.at(offset) ?? Number.NaN
    offset += line.length + 1
    return noted - Number(line)
  })
}

describe('workers › runs on them', function () {
  this.timeout(120_000)
  needsNats()
  let placing: Placing
  let shared: string
  before(async () => {
    placing = await openPlacing()
    shared = temporaryFolder()
    placing.worker('wa', ['-l', 'zone=a', '-m', '2'], { ONLY: 'on wa', TOKEN_A: 'abracadabra' })
    placing.worker('wb', ['-l', 'zone=b,gpu=true'])
    await placing.healthy('wa', 'wb')
  })
  after(() => placing?.close())
  const outOf = async (name: string, id: string, step: number) =>
    logIn((await placing.run(name, id)).nodes[step]?.stdout)

  it('each line of a log has the second in which it was written there', async function () {
    this.retries(WHEN_BUSY)
    const ticks = 'for n in 1 2 3 4 5 6 7 8 9; do date +%s; sleep 0.35; done'
    const id = await placing.start(`name: ticks\nworkerSelector: {zone: a}\nsteps: [{name: tick, command: '${ticks}'}]`)
    const path = (await placing.ended('ticks', id)).nodes[0]?.stdout ?? ''
    const errors = await errorsOf(path)
    expect(errors).to.have.length(9)
    expect(
      errors.filter((error) => !(Math.abs(error) <= 1)),
      errors.join(' ')
    ).to.deep.equal([])
    expect(marks(timesPath(path)).length).to.be.within(3, 6)
  })
  it('what each attempt of a step has written there is told apart here', async () => {
    const command =
      'n=x$(cat n 2>/dev/null || true); echo $n >n; echo "began $n" >&2; if [ $n = xx ]; then echo said; fi; exit 1'
    const id = await placing.start(
      `name: tries\nworkerSelector: {zone: a}\nworkingDir: ${temporaryFolder()}\nsteps: [{name: a, retryPolicy: {limit: 2}, command: '${command}'}]`
    )
    await placing.ended('tries', id)
    const said = async (stream: string, execution: number) => {
      const query = `stream=${stream}&execution=${execution}`
      const { json } = await placing.ask(`/dag-runs/tries/${id}/steps/a/log?${query}`)
      return (json as { content: string }).content
    }
    const [errors, output] = ['stderr', 'stdout'].map((stream) => Promise.all([1, 2, 3].map((n) => said(stream, n))))
    expect(await errors).to.deep.equal(['began x', 'began xx', 'began xxx'])
    expect(await output).to.deep.equal(['', 'said', ''])
  })
  it('D1 all steps and handlers of a run with a selector run on the worker with these labels; logs and outputs are here', async () => {
    const id = await placing.start(
      `
name: whole
workerSelector: {zone: b, gpu: "true"}
params: [WHO=world]
preconditions: [{condition: "test -d ${placing.homes.wb}/worker"}]
steps:
  - {name: one, command: 'echo "hello $WHO"; pwd', output: OUT, preconditions: ['test -n "$WHO"']}
  - {name: two, command: 'echo "got \${OUT}"; echo problem >&2', depends: one}
  - {name: three, script: "cat \${first.stdout}; exit 3", depends: two, continueOn: {exitCode: 3, markSuccess: true}}
handlerOn: {exit: {command: 'echo "ended $DAG_RUN_STATUS"'}}
`.replace('{name: one,', '{name: one, id: first,')
    )
    const run = await placing.ended('whole', id)
    expect([run.statusLabel, run.workerId]).to.deep.equal(['succeeded', 'wb'])
    const [one, two, three] = run.nodes
    const given = [one, two, three, run.onExit].map((node) => node?.workerId)
    expect(given).to.deep.equal(['wb', 'wb', 'wb', 'wb'])
    expect(new Set(run.nodes.map(({ lease }) => lease)).size, 'one placement').to.equal(1)
    expect(one?.lease).to.be.greaterThan(0)
    expect(logIn(one?.stdout)).to.match(new RegExp(`^hello world\n${placing.homes.wb}/worker/runs/.*/work\n$`))
    expect(one?.stdout).to.contain(placing.home)
    expect(logIn(two?.stdout)).to.match(/^got hello world\n/)
    expect(logIn(two?.stderr)).to.equal('problem\n')
    expect(logIn(three?.stdout)).to.equal(logIn(one?.stdout))
    expect([three?.statusLabel, three?.error]).to.deep.equal([
      'succeeded',
      `failed to execute step "three": exit status 3`
    ])
    expect(logIn(run.onExit?.stdout)).to.equal('ended succeeded\n')
  })
  it('a step that waits needs nothing of its worker but its texts; its answer is seen by the steps there', async () => {
    const id = await placing.start(`
name: asking
workerSelector: {zone: a}
params: [WHO=world]
env: [{FROM: "\`echo the worker\`"}]
type: graph
steps:
  - {name: ask, executor: {type: approval, config: {ask: "\${WHO} of \${FROM}?"}}, output: ANSWER}
  - {name: nap, depends: ask, executor: {type: sleep, config: {for: "PT0S"}}}
  - {name: tell, depends: nap, command: 'echo "\${ANSWER.note}"'}
`)
    const asked = await eventually('the question', async () => {
      const run = await placing.run('asking', id)
      return run.nodes[0]?.waitingFor?.ask || undefined
    })
    expect(asked).to.equal('world of the worker?')
    await placing.ask(`/dag-runs/asking/${id}/steps/ask/signal`, 'POST', { payload: { approved: true, note: 'yes' } })
    const run = await placing.ended('asking', id)
    expect([run.statusLabel, run.workerId, logIn(run.nodes[2]?.stdout)]).to.deep.equal(['succeeded', 'wa', 'yes\n'])
  })
  it('variables, dotenv and secrets are those of its machine; D11 the value of a secret is nowhere here', async () => {
    const spec = `
name: own
workerSelector: {zone: a}
env: [{FROM: "\`echo from the worker\`"}]
secrets: [{name: TOKEN, provider: env, key: TOKEN_A}]
steps:
  - {name: one, command: 'echo "$FROM, token $TOKEN"', output: OUT}
  - {name: two, command: 'echo "again \${OUT}"; test \${#OUT} = 34', depends: one}
`
    const run = await placing.ended('own', await placing.start(spec))
    expect([run.statusLabel, run.nodes.map(({ error }) => error)]).to.deep.equal(['succeeded', ['', '']])
    expect(logIn(run.nodes[1]?.stdout)).to.equal('again from the worker, token *******\n')
    for (const name of readdirSync(placing.home, { recursive: true, encoding: 'utf8' }))
      expect(logIn(join(placing.home, name)), name).not.to.contain('abracadabra')
  })
  itLong('retries, repeats, time limits and stops are decided here, and done there', async () => {
    const file = join(shared, 'times')
    const spec = `
name: policies
workerSelector: {zone: a}
type: graph
steps:
  - {name: retried, command: 'echo x >>${file}; test $(wc -l <${file}) -ge 3', retryPolicy: {limit: 3, intervalSec: 0}}
  - {name: repeated, command: 'echo pass', repeatPolicy: {repeat: true, limit: 3, intervalSec: 0}}
  - {name: slow, command: 'sleep 60', timeoutSec: 1, continueOn: {failure: true}}
`
    const run = await placing.ended('policies', await placing.start(spec))
    const [retried, repeated, slow] = run.nodes
    expect([retried?.statusLabel, retried?.retryCount, marks(file).length]).to.deep.equal(['succeeded', 2, 3])
    expect([repeated?.statusLabel, logIn(repeated?.stdout)]).to.deep.equal(['succeeded', 'pass\n'.repeat(3)])
    expect(slow?.error).to.match(/^step timed out after 1(\.\d)?s/)
  })
  it('D13 a stop reaches the step within a second, and its cancel handler runs there', async function () {
    this.retries(WHEN_BUSY)
    const file = join(shared, 'stopped')
    rmSync(file, { force: true })
    const id = await placing.start(`
name: stopped
workerSelector: {zone: b}
steps: [{name: one, script: "echo $$ >${file}; sleep 60"}]
handlerOn: {cancel: {command: 'pwd'}}
`)
    const pid = Number((await eventually('its process', () => marks(file)[0] || undefined)) ?? 0)
    const at = performance.now()
    await placing.ask(`/dag-runs/stopped/${id}/stop`, 'POST')
    await gone(pid)
    expect(performance.now() - at).to.be.lessThan(1_500)
    const run = await placing.ended('stopped', id)
    expect([run.statusLabel, run.nodes[0]?.statusLabel]).to.deep.equal(['canceled', 'canceled'])
    expect(logIn(run.onCancel?.stdout)).to.contain(`${placing.homes.wb}/worker/runs/`)
  })
  it('D2 a run that no worker can take is queued, explained, passed by others, and begins when one can', async () => {
    const id = await placing.start('name: mars\nworkerSelector: {zone: mars}\nsteps: [echo here]')
    expect((await placing.run('mars', id)).statusLabel).to.equal('queued')
    const passing = await placing.start('name: passing\nworkerSelector: {zone: a}\nsteps: [echo here]')
    expect((await placing.ended('passing', passing)).statusLabel).to.equal('succeeded')
    const { json } = await placing.ask(`/dag-runs/mars/${id}/explain`)
    expect(JSON.stringify(json)).to.contain('no worker has zone=mars (2 workers: zone is a, b)')
    placing.worker('wm', ['-l', 'zone=mars'])
    const run = await placing.ended('mars', id)
    expect([run.statusLabel, run.workerId]).to.deep.equal(['succeeded', 'wm'])
  })
  it('sub workflows: of one file they go where their caller is, unless they have a selector of their own; parallel, too', async () => {
    const run = await placing.ended(
      'caller',
      await placing.start(`
name: caller
workerSelector: {zone: a}
env: [{GIVEN: by the caller}]
steps:
  - {name: same, call: child, params: "WHAT=\${GIVEN}", output: SAME}
  - {name: other, call: elsewhere, depends: same}
  - {name: many, call: child, parallel: {items: [1, 2, 3], maxConcurrent: 3}, params: "WHAT=\${ITEM}", depends: other}
---
name: child
params: [WHAT=nothing]
steps: [{name: c, command: 'echo "$WHAT on $(basename $HOME)"', output: SAID}]
---
name: elsewhere
workerSelector: {zone: b}
steps: [{name: e, command: 'echo "on $(basename $HOME)"', output: SAID}]
`)
    )
    const base = (id: string) => placing.homes[id]?.split('/').at(-1)
    expect([run.statusLabel, run.nodes.map(({ error }) => error)]).to.deep.equal(['succeeded', ['', '', '']])
    expect(logIn(run.nodes[0]?.stdout)).to.contain(`by the caller on ${base('wa')}`)
    expect(logIn(run.nodes[1]?.stdout)).to.contain(`on ${base('wb')}`)
    expect(logIn(run.nodes[2]?.stdout)).to.contain('"succeeded": 3')
  })
  it('a folder that the worker has not is named, with the worker', async () => {
    const run = await placing.ended(
      'nowhere',
      await placing.start('name: nowhere\nworkerSelector: {zone: b}\nworkingDir: /not/there\nsteps: [pwd]')
    )
    expect(run.statusLabel).to.equal('failed')
    expect(run.error).to.contain('/not/there is not there on the worker wb')
  })
  it('what a run has left on its worker is removed when it has ended', async () => {
    const left = () =>
      ['wa', 'wb'].flatMap((id) =>
        ['runs', 'spool'].flatMap((folder) => readdirSync(join(placing.homes[id] ?? '', 'worker', folder)))
      )
    await eventually('nothing left', () => (left().length === 0 ? true : undefined))
  })
  itLong('a log of 20 MB arrives whole, while the step runs and after it', async () => {
    const id = await placing.start(`
name: large
workerSelector: {zone: b}
steps:
  - name: one
    script: |
      head -c 20000000 /dev/zero | tr '\\0' x
      echo
      echo end
`)
    await placing.ended('large', id)
    const text = await outOf('large', id, 0)
    expect([text.length, text.endsWith('x\nend\n')]).to.deep.equal([20_000_005, true])
  })
})
