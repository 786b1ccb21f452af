/** Where the value of a secret is masked: logs, files, errors and messages; and that nothing else of a step changes by it. Source: execution-semantics 14.4; reliability P23. */
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { textOf } from '../../support/engine/live.ts'
import { MASK, secretScene } from '../../support/engine/secret-scene.ts'
import { WHEN_BUSY } from '../../support/waiting.ts'

describe('secrets', () => {
  const { live, folder, dag, token } = secretScene()

  it('14.4.6 a value split over two writes 200 ms apart, a prefix of another, a value of several lines', async () => {
    const run = await live.run(
      dag(`
        - {name: split, command: 'printf %s "\${TOKEN%??????}"; sleep 0.2; printf "%s\\n" "\${TOKEN#"\${TOKEN%??????}"}"'}
        - {name: prefix, command: 'echo "$PREFIX-$TOKEN-$PREFIX"'}
        - {name: lines, command: 'echo "$KEY"; cat key.pem; sed -n 2p key.pem; printf "xyz\\n"'}
      `)
    )
    expect(run.out('split')).to.equal(`${MASK}\n`)
    expect(run.out('prefix')).to.equal(`${MASK}-${MASK}-${MASK}\n`)
    expect(run.out('lines')).to.equal(`${MASK}\n${MASK}\n${MASK}\nxyz\n`)
  })

  it('14.4.6 stdout: and stderr: files are masked, and complete when the next step reads them', async () => {
    const run = await live.run(
      dag(`
        - {name: copied, command: 'seq 20000; echo $TOKEN; echo "e $TOKEN" >&2', stdout: out.txt, stderr: err.txt}
        - {name: reads, depends: copied, command: tail -n 1 out.txt}
      `)
    )
    expect(run.out('reads')).to.equal(`${MASK}\n`)
    expect(textOf(join(folder, 'err.txt'))).to.equal(`e ${MASK}\n`)
    expect(statSync(join(folder, 'out.txt')).mode & 0o777).to.equal(0o600)
  })

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

  it('14.4.9 node errors, condition errors and messages are masked', async () => {
    const run = await live.run(
      dag(`
        - {name: fails, command: 'echo "no $TOKEN" >&2; exit 1', continueOn: {failure: true}}
        - name: skipped
          command: 'true'
          preconditions: [{condition: "\${TOKEN}", expected: other}]
          continueOn: {skipped: true}
        - {name: ticks, env: [{X: "\`echo $TOKEN >&2; exit 3\`"}], command: 'true', continueOn: {failure: true}}
        - {name: demands, env: [{X: "\${NONE:?\${TOKEN}}"}], command: 'true', continueOn: {failure: true}}
        - {name: calls, call: "\${TOKEN}", continueOn: {failure: true}}
      `)
    )
    expect(run.node('fails').error).to.contain(`no ${MASK}`)
    expect(run.node('skipped').conditions?.[0]?.error).to.contain(`got "${MASK}"`)
    expect(run.node('ticks').error).to.contain(MASK)
    expect(run.node('demands').error).to.contain(MASK)
    expect(run.node('calls').error).to.contain(MASK)
    const written = JSON.stringify(run) + textOf(run.run.log) + run.err('ticks') + run.err('calls')
    expect(written).to.not.contain(token)
  })
})
