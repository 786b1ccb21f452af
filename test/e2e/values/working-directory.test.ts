/** Where steps run. Source: execution-semantics 4.4, 1.8 (`workingDir`). */
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('working directory', () => {
  const live = liveEngine()

  it('an inline spec has its own directory for each run, under the application home', async () => {
    const spec = 'steps: [{name: where, command: pwd; ls; echo >left-here}]'
    const [one, two] = await Promise.all([
      live.run(spec, { name: 'inline-1', dagRunId: 'same' }),
      live.run(spec, { name: 'inline-2', dagRunId: 'same' })
    ])
    const [first, ...found] = [...one.out('where').trim().split('\n'), ...two.out('where').trim().split('\n')]
    expect(first?.startsWith(`${live.engine.home}/`), first).to.equal(true)
    expect(found, 'both were empty').to.have.length(1)
    expect(found[0], 'run ids are unique per DAG only').not.to.equal(first)
  })

  it('4.4.3 a DAG workingDir that is missing is created (0755) at start; failure: the run fails before any step', async () => {
    const folder = temporaryFolder()
    const made = await live.run(`{workingDir: ${folder}/new/one, steps: [{name: where, command: pwd}]}`)
    expect(made.out('where')).to.equal(`${folder}/new/one\n`)
    expect(statSync(`${folder}/new/one`).mode & 0o777).to.equal(0o755)
    writeFileSync(join(folder, 'file'), '')
    const failed = await live.run(`
      workingDir: ${folder}/file/below
      handlerOn: {exit: echo no}
      steps: [echo no]
    `)
    expect(failed.status).to.equal('failed')
    expect(failed.run.error).to.equal(
      `the working directory ${folder}/file/below cannot be made: a part of its path is no folder`
    )
    expect(failed.statuses).to.deep.equal(['not_started'])
    const file = await live.run(`{workingDir: ${folder}/file, handlerOn: {exit: echo no}, steps: [echo no]}`)
    expect([file.status, file.run.error]).to.deep.equal(['failed', `the working directory ${folder}/file is no folder`])
    expect(file.statuses).to.deep.equal(['not_started'])
    expect(failed.handlers.onExit?.node.status, 'no handlers when the run never got going (8.4)').to.equal(
      'not_started'
    )
  })

  it('4.4.4 a missing step directory is created as well; failure fails the step', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    const run = await live.run(`
      workingDir: ${folder}
      steps:
        - {name: made, dir: new/two, command: pwd}
        - {name: failing, dir: file/below, command: echo no, continueOn: {failure: true}}
        - {name: file, dir: file, command: echo no, continueOn: {failure: true}}
        - {name: nowhere, dir: /proc/nope/below, command: echo no, continueOn: {failure: true}}
        - {name: after, command: echo yes}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'failed', 'failed', 'failed', 'succeeded'])
    expect(run.out('made')).to.equal(`${folder}/new/two\n`)
    const errors = ['failing', 'file', 'nowhere'].map((name) => run.node(name).error)
    expect(errors).to.deep.equal([
      `failed to execute step "failing": the working directory ${folder}/file/below cannot be made: a part of its path is no folder`,
      `failed to execute step "file": the working directory ${folder}/file is no folder`,
      'failed to execute step "nowhere": the working directory /proc/nope/below cannot be made: the file system has no place for it'
    ])
    expect(run.out('failing')).to.equal('')
  })

  it('directories with blanks, quotes, dashes and links', async () => {
    const folder = temporaryFolder()
    const odd = join(folder, `-it's "odd" $HOME\n\`x\``)
    mkdirSync(odd)
    symlinkSync(odd, join(folder, 'link'))
    const run = await live.run(`
      workingDir: ${JSON.stringify(odd.replace('$', '\\$'))}
      type: graph
      steps:
        - {name: odd, command: 'touch made; printf %s "$PWD"'}
        - {name: link, dir: ${folder}/link, command: 'echo $PWD; pwd; pwd -P'}
    `)
    expect(existsSync(join(odd, 'made'))).to.equal(true)
    expect(run.out('odd')).to.equal(odd)
    expect(run.out('link')).to.equal(`${folder}/link\n${folder}/link\n${odd}\n`)
  })

  it('a step says so when its directory was removed before it began', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'gone'))
    const run = await live.run(`
      workingDir: ${folder}/gone
      steps:
        - {name: removes, command: rmdir ${folder}/gone}
        - {name: misses, command: echo no}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'failed'])
    expect(run.node('misses').exitCode).to.equal(1)
    expect(run.err('misses')).to.equal(`the working directory ${folder}/gone cannot be entered\n`)
    expect(run.node('misses').error).to.contain('gone')
  })
})
