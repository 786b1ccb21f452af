/** The command line with real engines, processes and a running server. Source: api-semantics 11, 4.2, 4.7. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Called, called } from '../../support/cli/called.ts'
import { type Program, program, runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const HELD = 'no server serves the queues of this home: the run waits until one does (troupe start-all)\n'

/** Writes its params into `marks` and waits for the file `go`. */
const held = (more = '') => `${more}
params: N=0
steps:
  - name: mark
    command: echo "$N" >> marks; while [ ! -e go ]; do sleep 0.02; done
`

interface Place {
  folder: string
  troupe(...argv: string[]): Program
  /** Runs a command to its end. */
  done(...argv: string[]): Promise<Called>
}

function place(definitions: Record<string, string>, folder = temporaryFolder()): Place {
  for (const [name, text] of Object.entries(definitions)) writeFileSync(join(folder, `${name}.yaml`), text)
  const environment = { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }
  return {
    folder,
    troupe: (...argv) => program(folder, environment, ...argv),
    done: (...argv) => called(folder, environment, ...argv)
  }
}

const marks = ({ folder }: Place) => {
  const path = join(folder, 'marks')
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}
const marked = (there: Place, count: number) =>
  eventually(`${count} marks`, () => (marks(there).length >= count ? true : undefined))
const statusOf = async ({ done }: Place, name: string, id: string): Promise<string> =>
  JSON.parse((await done('status', name, '-r', id, '--json')).out).statusLabel
const ended = (there: Place, name: string, id: string) =>
  eventually(`the end of ${id}`, async () => {
    const status = await statusOf(there, name, id)
    return status === 'running' || status === 'queued' ? undefined : status
  })

describe('troupe with a server', () => {
  it('enqueue prints the run id; the run waits for its turn, shows in queues and status, and can be dequeued', async () => {
    const there = place({ flow: held() })
    const server = await runningServer({}, { folder: there.folder })
    expect(await there.done('enqueue', 'flow', '-r', 'q1', '--', 'N=1')).to.deep.equal({
      code: 0,
      out: 'q1\n',
      err: ''
    })
    await marked(there, 1)
    for (const id of ['q2', 'q3', 'q4']) await there.done('enqueue', 'flow', '-r', id, '--', `N=${id}`)
    const { out } = await there.done('queues')
    expect(out)
      .to.match(/^flow {2}1 running, 3 queued\n/)
      .and.match(/run q1\n.*run q2\n.*run q3\n.*run q4\n$/)
    const duplicate = await there.done('enqueue', 'flow', '-r', 'q2')
    expect(duplicate).to.deep.equal({ code: 1, out: '', err: 'Error: flow already has a run with the id q2\n' })
    expect(await there.done('dequeue', '--dag-run', 'flow:q3')).to.include({ code: 0 })
    expect(await there.done('dequeue', 'flow', '--json')).to.include({
      code: 0,
      out: '{"dequeued":{"name":"flow","dagRunId":"q2"}}\n'
    })
    expect(await there.done('dequeue', '-d', 'flow:q1')).to.include({
      code: 1,
      err: 'Error: run q1 of flow is not queued\n'
    })
    const stop = await there.done('stop', 'flow', '-r', 'q4')
    expect(stop).to.include({ code: 0 })
    expect(stop.out).to.contain('run q4 of flow waits in a queue')
    writeFileSync(join(there.folder, 'go'), '')
    expect(await ended(there, 'flow', 'q4')).to.equal('succeeded')
    expect(marks(there)).to.deep.equal(['1', 'q4'])
    await server.end()
  })

  it('start: M=1 and running: exit 1; M>1 reached: enqueues and exits 0, unless -n; --disable-max-active-runs runs', async () => {
    const there = place({ one: held(), two: held('maxActiveRuns: 2') })
    const server = await runningServer({}, { folder: there.folder })
    const first = there.troupe('start', 'one', '-r', 'r1')
    await marked(there, 1)
    const refused = await there.done('start', 'one')
    expect(refused).to.deep.equal({
      code: 1,
      out: '',
      err: 'Error: one already has 1 active run (limit 1); troupe enqueue waits for a place, --disable-max-active-runs does without one\n'
    })
    const beside = there.troupe('start', 'one', '-r', 'r2', '--disable-max-active-runs')
    await marked(there, 2)
    for (const id of ['t1', 't2']) there.troupe('start', 'two', '-r', id)
    await marked(there, 4)
    const unqueued = await there.done('start', 'two', '-r', 't3', '-n')
    expect(unqueued.code).to.equal(1)
    expect(unqueued.err).to.contain('two already has 2 active runs (limit 2)')
    expect(await there.done('start', 'two', '-r', 't3')).to.deep.equal({
      code: 0,
      out: 'run t3 of two is queued\n',
      err: ''
    })
    writeFileSync(join(there.folder, 'go'), '')
    expect(await ended(there, 'two', 't3')).to.equal('succeeded')
    expect([await first.code, await beside.code]).to.deep.equal([0, 0])
    await server.end()
  })

  it('restart: stop, restartWaitSec, new run with new id, same params and the same definition', async () => {
    const there = place({ flow: held('restartWaitSec: 1') })
    const server = await runningServer({}, { folder: there.folder })
    const first = there.troupe('start', 'flow', '-r', 'r1', '--', 'N=7')
    await marked(there, 1)
    writeFileSync(join(there.folder, 'flow.yaml'), 'steps: [echo changed >> marks]\n')
    const restart = there.troupe('restart', 'flow')
    await marked(there, 2)
    expect(await first.code).to.equal(1)
    writeFileSync(join(there.folder, 'go'), '')
    expect(await restart.code).to.equal(0)
    expect(restart.written.err).to.match(
      /^stopping run r1 of flow\nit has ended; the next one starts in 1.0s\nrun \S+ of flow\n/
    )
    expect(marks(there)).to.deep.equal(['7', '7'])
    const { dagRunId, params } = JSON.parse((await there.done('status', 'flow', '--json')).out)
    expect({ isNew: dagRunId !== 'r1', params }).to.deep.equal({ isNew: true, params: 'N=7' })
    expect(await there.done('restart', 'flow')).to.include({
      code: 1,
      err: 'Error: restart: wanted a running run, found none: flow is not running; troupe start begins one\n'
    })
    await server.end()
  })

  it('queues disabled: enqueue exits 1 and start works', async () => {
    const there = place({ flow: 'steps: [echo hi]' })
    const server = await runningServer({}, { folder: there.folder, file: 'queues: {enabled: false}\n' })
    expect(await there.done('enqueue', 'flow')).to.deep.equal({
      code: 1,
      out: '',
      err: 'Error: queues are disabled in configuration\n'
    })
    expect(await there.done('start', 'flow', '-q')).to.include({ code: 0 })
    await server.end()
  })
})

describe('troupe without a server', () => {
  it('enqueue stores the item and says so; commands let it wait, and the next server runs it', async () => {
    const there = place({ flow: held(), other: 'steps: [echo other]' })
    writeFileSync(join(there.folder, 'go'), '')
    expect(await there.done('enqueue', 'flow', '-r', 'q1')).to.deep.equal({ code: 0, out: 'q1\n', err: HELD })
    await there.done('enqueue', 'flow', '-r', 'q2')
    expect(await there.done('start', 'other')).to.include({ code: 0 })
    expect(await there.done('dequeue', 'flow')).to.include({ code: 0, out: 'run q1 of flow is no longer queued\n' })
    expect(await statusOf(there, 'flow', 'q2')).to.equal('queued')
    expect(marks(there)).to.deep.equal([])
    const server = await runningServer({}, { folder: there.folder })
    expect(await ended(there, 'flow', 'q2')).to.equal('succeeded')
    await server.end()
  })

  it('retry: in place, in the foreground; --step runs one step; unknown id and step: 1', async () => {
    const flow = `steps:
  - {name: a, command: echo a >> marks}
  - {name: b, command: echo b >> marks; test -e ok}
  - {name: c, command: echo c >> marks}
`
    const there = place({ flow })
    expect(await there.done('start', 'flow', '-r', 'r1', '-q')).to.include({ code: 1 })
    writeFileSync(join(there.folder, 'ok'), '')
    const retry = await there.done('retry', 'flow', '--run-id', 'r1')
    expect(retry).to.include({ code: 0, out: '' })
    expect(retry.err)
      .to.match(/^run r1 of flow\n/)
      .and.contain('✓ flow  succeeded')
    expect(marks(there)).to.deep.equal(['a', 'b', 'b', 'c'])
    expect(JSON.parse((await there.done('status', 'flow', '--json')).out)).to.include({ dagRunId: 'r1', attempt: 2 })
    expect(await there.done('retry', 'flow', '-r', 'r1', '--step', 'a', '-q')).to.include({ code: 0 })
    expect(marks(there).slice(4)).to.deep.equal(['a'])
    expect((await there.done('retry', 'flow', '-r', 'nope')).err).to.equal(
      'Error: there is no run nope of flow; its newest is r1 (or say latest)\n'
    )
    const step = await there.done('retry', 'flow', '-r', 'r1', '--step', 'z')
    expect(step).to.include({ code: 1, err: 'Error: run r1 of flow has no step named "z"\n' })
  })

  it('start --from-run-id runs what the earlier run was: its definition and its parameters', async () => {
    const there = place({ flow: 'params: N=0\nsteps: ["echo old $N >> marks"]\n' })
    await there.done('start', 'flow', '-r', 'r1', '--', 'N=`echo 5`')
    writeFileSync(join(there.folder, 'flow.yaml'), 'steps: ["echo new >> marks"]\n')
    expect(await there.done('start', 'flow', '--from-run-id', 'r1', '-r', 'r2', '-q')).to.include({ code: 0 })
    expect(await there.done('start', 'flow', '--from-run-id', 'r1', '-N', 'else', '-q')).to.include({ code: 0 })
    expect(marks(there)).to.deep.equal(['old 5', 'old 5', 'old 5'])
    expect(JSON.parse((await there.done('status', 'else', '--json')).out)).to.include({ name: 'else', params: 'N=5' })
    expect((await there.done('start', 'flow', '--from-run-id', 'no')).err).to.equal(
      'Error: there is no run no of flow; its newest is r2 (or say latest)\n'
    )
  })

  it('the tree shows sub DAG runs below the calling step, and a retry wait with its time', async () => {
    const there = place({
      flow: `type: graph
steps:
  - {name: one, call: kid}
  - {name: many, call: kid, parallel: [1, 2, 3]}
  - {name: again, command: 'false', retryPolicy: {limit: 2, intervalSec: 60}}
---
name: kid
steps: [echo $1]
`
    })
    const start = there.troupe('start', 'flow', '-r', 'r1')
    const out = await eventually('the calls and the wait', async () => {
      const { out } = await there.done('status', 'flow')
      return /✓ one .*3 runs: 3 succeeded.* in \d/s.test(out) ? out : undefined
    })
    expect(out).to.match(/├─ ✓ one .*\n│ {2}└─ ✓ kid +succeeded .*run \w+\n├─ ✓ many/)
    expect(out).to.match(/└─ ● again +running .*retry 1 of 2 in 5\d\.\ds\n/)
    const asked = performance.now()
    const stop = await there.done('stop', 'flow')
    expect(stop.code).to.equal(0)
    expect(performance.now() - asked, 'the engine that goes with its run is not waited for').to.be.below(10_000)
    expect(await start.code).to.equal(1)
    expect(start.written.err).to.match(/● retry +again .*retry 1 of 2 in (1m00s|\d+\.\ds)/)
  })

  it('dry executes nothing and leaves nothing behind', async () => {
    const there = place({ flow: 'params: A=`touch ran`\nsteps: ["touch ran"]\n' })
    const before = readdirSync(there.folder)
    const { code, out } = await there.done('dry', 'flow')
    expect(code).to.equal(0)
    expect(out).to.contain('touch ran')
    expect(readdirSync(there.folder)).to.deep.equal(before)
  })
})
