/** Secrets whose value is a variable of the DAG: where it is found, and that it is masked like any other. Source: execution-semantics 14.4.2, 14.4.6-14.4.9. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { canary, leaks, MASK } from '../../support/engine/secret-scene.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('secrets of the provider env › variables of the DAG', () => {
  const home = temporaryFolder()
  const live = liveEngine({ home, temporary: false })
  const secrets = 'secrets: [{name: TOKEN, provider: env, key: SOURCE}]'
  function withDotenv(value: string): string {
    const folder = temporaryFolder()
    writeFileSync(join(folder, '.env'), `SOURCE=${value}\n`)
    return folder
  }

  it('14.4.6, 14.4.8, 14.4.9 a value of the dotenv file is masked in logs, outputs, errors and conditions under both of its names', async () => {
    const token = canary()
    const run = await live.run(`
workingDir: ${withDotenv(token)}
type: graph
${secrets}
preconditions: [{condition: "\${SOURCE}", expected: "re:.*"}]
steps:
  - {name: logs, command: 'echo "$TOKEN \${SOURCE}"; echo "e $SOURCE" >&2', output: OUT}
  - {name: uses, depends: logs, command: 'test "\${OUT}" = "$SOURCE $TOKEN"'}
  - {name: fails, command: 'echo "no $SOURCE" >&2; exit 1', continueOn: {failure: true}}
  - {name: skipped, command: 'true', preconditions: [{condition: "\${SOURCE}", expected: other}], continueOn: {skipped: true}}
  - {name: elsewhere, command: 'true', workingDir: "/dev/null/\${SOURCE}", continueOn: {failure: true}}
`)
    expect(run.status).to.equal('partially_succeeded')
    expect([run.out('logs'), run.err('logs')]).to.deep.equal([`${MASK} ${MASK}\n`, `e ${MASK}\n`])
    expect(run.node('uses').status).to.equal('succeeded')
    expect(run.node('fails').error).to.contain(`no ${MASK}`)
    expect(run.node('skipped').conditions?.[0]?.error).to.contain(MASK)
    expect(run.node('elsewhere').error).to.contain(MASK)
    expect(JSON.stringify(run) + textOf(run.run.log)).to.not.contain(token)
    expect(leaks(home, token)).to.deep.equal([])
  })
  it('14.4.9 a precondition of the DAG, and what goes wrong before a run begins, are masked', async () => {
    const token = canary()
    const folder = withDotenv(token)
    const unmet = await live.run(
      `workingDir: ${folder}\n${secrets}\npreconditions: [{condition: "\${SOURCE}", expected: other}]\nsteps: ['true']`
    )
    expect(unmet.status).to.equal('canceled')
    const lost = await live.run(
      `env: [{SOURCE: ${token}}]\nworkingDir: ${folder}/.env/\${SOURCE}\n${secrets}\nsteps: ['true']`
    )
    expect(lost.status).to.equal('failed')
    expect(lost.run.error).to.contain(`/.env/${MASK}`)
    expect(JSON.stringify(unmet) + textOf(unmet.run.log) + textOf(lost.run.log)).to.not.contain(token)
  })
  it('14.4.2 a sub workflow has its own variables; it does not get the value of its caller', async () => {
    const [outer, inner] = [canary(), canary()]
    const run = await live.run(`
env: [{SOURCE: ${outer}}]
${secrets}
steps: [{name: calls, call: inside}]
---
name: inside
env: [{SOURCE: ${inner}}]
${secrets}
steps: [{name: tells, command: 'test "$TOKEN" = ${inner.slice(0, 9)}"${inner.slice(9)}" && echo "$TOKEN"'}]
`)
    expect(run.status).to.equal('succeeded')
    const without = await live.run(`
env: [{SOURCE: ${outer}}]
${secrets}
steps: [{name: calls, call: inside}]
---
name: inside
${secrets}
steps: ['true']
`)
    const [sub] = live.engine.subRuns(without.run)
    expect(sub?.error).to.contain('has a variable SOURCE')
  })
})
