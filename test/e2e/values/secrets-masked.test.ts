/** That masking changes nothing else of a step. Source: execution-semantics 14.4; reliability P23. */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { textOf } from '../../support/engine/live.ts'
import { MASK, secretScene } from '../../support/engine/secret-scene.ts'
import { WHEN_BUSY } from '../../support/waiting.ts'

describe('secrets', () => {
  const { live, folder, dag } = secretScene()

  it('exit codes, signals, the group and $$ of a masked step are those of any other', async function () {
    this.retries(WHEN_BUSY)
    const run = await live.run(
      dag(`
        - {name: code, command: exit 143, continueOn: {failure: true}}
        - {name: signal, command: kill -TERM $$, continueOn: {failure: true}}
        - {name: group, command: 'test $(cut -d" " -f5 /proc/$$/stat) = $$ && test $(cut -d" " -f6 /proc/$$/stat) = $$'}
        - {name: fds, command: 'ls /proc/self/fd'}
        - {name: holder, command: 'sleep 30 & echo $!'}
      `)
    )
    expect(run.node('code')).to.include({ exitCode: 143 }).and.not.have.property('signal')
    expect(run.node('signal')).to.include({ exitCode: -1, signal: 'terminated' })
    expect(run.node('group')).to.include({ exitCode: 0 })
    const plain = await live.run('steps: [{name: fds, command: ls /proc/self/fd}]')
    expect(run.out('fds')).to.equal(plain.out('fds'))
    const { startedAt = 0, finishedAt = 0 } = run.node('holder')
    expect(finishedAt - startedAt, 'the pipes are drained for two seconds').to.be.within(1_900, 6_000)
    process.kill(Number(run.out('holder')))
  })
  it('4.5.3 stdout and stderr may name the same file; binary output passes unchanged', async () => {
    const bytes = randomBytes(300_000)
    writeFileSync(join(folder, 'bytes'), bytes)
    const run = await live.run(
      dag(`
        - {name: same, command: 'echo $TOKEN; echo $TOKEN >&2', stdout: same.txt, stderr: same.txt}
        - {name: bytes, command: 'cat bytes'}
      `)
    )
    expect(textOf(join(folder, 'same.txt'))).to.equal(`${MASK}\n${MASK}\n`)
    expect(readFileSync(run.node('bytes').stdout ?? '')).to.deep.equal(bytes)
  })
})
