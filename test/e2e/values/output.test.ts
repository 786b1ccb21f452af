/** Where a step's stdout and stderr go: logs, copies, and what the API shows of them. Source: execution-semantics 4.5. */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveApi } from '../../support/api/live-api.ts'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { WHEN_BUSY } from '../../support/waiting.ts'

describe('logs and copies of output', () => {
  const live = liveEngine()

  it('a log that cannot be opened is what the error of its step says; nothing of the step has begun', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      type: graph
      steps:
        - name: takes
          script: |
            cd "$(dirname "$DAG_RUN_STEP_STDOUT_FILE")"
            mkdir out.out err.err caught.out copied.out; ln -s /nowhere/log linked.out
        - {name: out, depends: takes, command: touch begun}
        - {name: err, depends: takes, command: touch begun}
        - {name: caught, depends: takes, command: touch begun, output: CAUGHT}
        - {name: linked, depends: takes, command: touch begun}
        - {name: copied, depends: takes, command: touch begun, stdout: copy.txt}
        - {name: own, depends: takes, command: exit 2}
    `)
    const said = (step: string, path: string, why: string) =>
      `failed to execute step "${step}": exit status 2: its log ${path} cannot be opened: ${why}`
    for (const [step, why] of [
      ['out', 'it is a folder'],
      ['caught', 'it is a folder'],
      ['copied', 'it is a folder'],
      ['linked', 'the file system has no place for it']
    ] as const)
      expect(run.node(step).error).to.equal(said(step, run.node(step).stdout ?? '', why))
    expect(run.node('err').error).to.equal(said('err', run.node('err').stderr ?? '', 'it is a folder'))
    expect(run.node('own').error).to.equal('failed to execute step "own": exit status 2')
    expect(existsSync(join(folder, 'begun'))).to.equal(false)
  })

  it('4.5.2 a copy that cannot be written fails the step, and does not hold it up', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'folder'))
    const run = await live.run(`
      workingDir: ${folder}
      type: graph
      steps:
        - {name: folder, command: echo no, stdout: folder}
        - {name: below a file, command: echo no, stderr: /dev/null/x}
        - {name: nowhere, command: echo yes, stdout: /dev/null}
        - {name: pipe, command: "mkfifo pipe"}
        - {name: nobody reads, depends: pipe, command: echo no, stdout: pipe}
        - {name: full disk, command: "seq 1 3; echo done", stdout: /dev/full}
    `)
    expect(run.statuses).to.deep.equal(['failed', 'failed', 'succeeded', 'succeeded', 'failed', 'failed'])
    expect(run.node('full disk').error).to.match(
      /^failed to execute step "full disk": the copy of stdout could not be written: \/dev\/full\nrecent stderr \(tail\):\ntee: /
    )
    expect(run.out('full disk')).to.equal('1\n2\n3\ndone\n')
    const errors = ['folder', 'below a file', 'nobody reads'].map((name) => run.node(name).error)
    expect(errors).to.deep.equal([
      `failed to execute step "folder": stdout cannot be copied to ${folder}/folder: it is a folder`,
      'failed to execute step "below a file": stderr cannot be copied to /dev/null/x: /dev/null is no folder',
      `failed to execute step "nobody reads": stdout cannot be copied to ${folder}/pipe: that pipe has no reader`
    ])
    expect(run.out('folder')).to.equal('')
    expect(run.out('nowhere')).to.equal('yes\n')
  })

  it('a grandchild that holds the pipe or the log does not hold the step', async function () {
    this.retries(WHEN_BUSY)
    const folder = temporaryFolder()
    const run = await live.run(`
      type: graph
      steps:
        - name: log
          command: sleep 4 & echo $! ; exit 3
        - name: pipe
          command: sleep 4 & echo $! ; exit 200
          stdout: ${folder}/copy
    `)
    const took = (name: string) => (run.node(name).finishedAt ?? 0) - (run.node(name).startedAt ?? 0)
    expect(run.nodes.map(({ node }) => node.exitCode)).to.deep.equal([3, 200])
    expect(took('log')).to.be.below(1_500)
    expect(took('pipe'), 'copies are waited for 2 s at most').to.be.below(3_500)
    expect(textOf(join(folder, 'copy'))).to.equal(run.out('pipe'))
    for (const name of ['log', 'pipe']) process.kill(Number(run.out(name)))
  })
})

describe('API › the log of a step with both streams redirected into one file', () => {
  const api = liveApi()
  const logOf = async (id: string, step: string, query = '') =>
    (await api.call('GET', `/dag-runs/both/${id}/steps/${step}/log${query}`)).json

  it('3.8.9 is what went into the file, for either stream; not what others have put there, and never a file in its place', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'both.txt')
    writeFileSync(file, 'of another run\n')
    writeFileSync(join(folder, 'token'), 'canary-both-1', { mode: 0o600 })
    const id = await api.startedInline({
      name: 'both',
      spec: `
secrets: [{name: TOKEN, provider: file, key: ${folder}/token}]
type: graph
steps:
  - name: masked
    command: echo "out $TOKEN"; echo err >&2; false
    stdout: ${folder}/masked.txt
    stderr: ${folder}/./masked.txt
    retryPolicy: {limit: 1}
    continueOn: {failure: true}
  - {name: apart, command: 'echo out; echo err >&2', stdout: '${folder}/out.txt', stderr: '${folder}/err.txt'}
`
    })
    await api.ended('both', id)
    for (const stream of ['stdout', 'stderr']) {
      const { content, totalLines } = await logOf(id, 'masked', `?stream=${stream}`)
      expect([content, totalLines], stream).to.deep.equal([textOf(join(folder, 'masked.txt')).trimEnd(), 4])
      expect(content.split('\n').sort()).to.deep.equal(['err', 'err', 'out *******', 'out *******'])
    }
    expect((await logOf(id, 'apart')).content).to.equal('out')
    expect((await logOf(id, 'apart', '?stream=stderr')).content).to.equal('err')

    const plain = await api.startedInline({
      name: 'both',
      spec: `steps: [{name: s, command: 'echo out; echo err >&2', stdout: '${file}', stderr: '${file}', output: OUT}]`
    })
    await api.ended('both', plain)
    expect(textOf(file)).to.match(/^of another run\n/)
    rmSync(file)
    symlinkSync('/etc/passwd', file)
    for (const query of ['', '?stream=stderr'])
      expect((await logOf(plain, 's', query)).content.split('\n').sort()).to.deep.equal(['err', 'out'])
    const retried = await api.call('POST', `/dag-runs/both/${plain}/retry`, { body: { dagRunId: 'seeded' } })
    expect(retried.status).to.equal(200)
    await api.ended('both', 'seeded')
    expect((await logOf('seeded', 's', '?tail=5')).lineCount, 'a run that keeps the node has its log, too').to.equal(2)
    expect((await api.call('GET', `/dag-runs/both/${plain}/outputs`)).json.outputs).to.deep.equal({ OUT: 'out' })
  })
})
