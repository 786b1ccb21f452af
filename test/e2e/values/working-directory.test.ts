/** Where steps run. Source: execution-semantics 4.4, 1.8 (`workingDir`). */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
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
