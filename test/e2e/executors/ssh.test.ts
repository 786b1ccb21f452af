/** Steps on another machine, as workflows use them. Source: execution-semantics 3.3, 7.3, 8.4, 8.8, 10 "Common", 10.3, 14.4. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { liveSshd } from '../../support/executors/sshd.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('ssh › workflows', () => {
  const sshd = liveSshd()
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'token'), 'hush-hush')
  const live = liveEngine()
  const dagSsh = (more: Record<string, unknown> = {}) =>
    `ssh: ${JSON.stringify({ ...sshd.target, ...more })}\nworkingDir: ${folder}`
  const config = (more: Record<string, unknown> = {}) =>
    `{type: ssh, config: ${JSON.stringify({ ...sshd.target, ...more })}}`

  it('10: without `executor` steps and handlers (8.8) of a DAG with `ssh` run over ssh; an explicit shell escapes', async () => {
    const run = await live.run(`
${dagSsh()}
handlerOn: {exit: 'test -n "$SSH_CONNECTION"'}
steps:
  - {name: there, command: 'test -n "$SSH_CONNECTION"'}
  - {name: here, executor: shell, command: 'test -z "$SSH_CONNECTION"'}
`)
    expect([run.status, run.node('onExit').status], run.err('onExit')).to.deep.equal(['succeeded', 'succeeded'])
  })
  it('10.3.1: a step config replaces the `ssh` of the DAG wholly: no merging', async () => {
    const { host, port } = sshd.target
    const run = await live.run(`
${dagSsh()}
steps:
  - {name: part, executor: {type: ssh, config: {host: ${host}, port: ${port}, user: nobody}}, command: echo, continueOn: {failure: true}}
  - {name: whole, executor: ${config()}, command: echo whole}
  - {name: empty, executor: {type: ssh, config: {}}, command: echo of the DAG}
`)
    expect(run.statuses).to.deep.equal(['failed', 'succeeded', 'succeeded'])
    expect(run.err('part')).to.match(/no ssh key and no password|is not known/)
    expect([run.out('whole'), run.out('empty')]).to.deep.equal(['whole\n', 'of the DAG\n'])
  })
  it('3.3: `ssh` is expanded when the run is loaded, config before each execution', async () => {
    const { user, port, key, knownHostFile } = sshd.target
    writeFileSync(join(folder, 'vars'), `WHO=${user}\n`)
    const run = await live.run(`
params: "PORT=${port}"
env: [{KEYS: ${key.replace(/user_key$/, '')}}]
ssh: {user: "\${WHO}", host: "\`echo 127.0.0.1\`", port: "\${PORT}", key: "\${KEYS}user_key", knownHostFile: ${knownHostFile}}
dotenv: ${join(folder, 'vars')}
steps:
  - {name: dag, command: echo dag, output: SAID}
  - {name: own, executor: {type: ssh, config: {user: ${user}, host: 127.0.0.1, port: "\${PORT}", key: "\${KEYS}user_key", knownHostFile: ${knownHostFile}}}, command: "echo \${SAID} own"}
`)
    expect(run.run.error ?? '').to.equal('')
    expect([run.out('dag'), run.out('own')]).to.deep.equal(['dag\n', 'dag own\n'])
  })
  it('10.3.5, 10.3.7: `${X}` in the text sees every variable; the environment itself is not there, but for the own `env` of the step', async () => {
    const run = await live.run(`
${dagSsh()}
params: 'P="a \\"b; echo rm"'
env: [{E: of the DAG}]
steps:
  - {name: text, command: 'echo "\${P}" \${E}; pwd'}
  - {name: words, command: [echo, "\${P}", 'x; y']}
  - {name: unset, command: 'printenv E P DAG_RUN_ID || echo none'}
  - {name: own, env: [{E: "of \${P}"}], command: 'printenv E'}
  - name: script
    args: [one]
    script: |
      echo "\${P} $1"
      echo \`echo there\`
`)
    expect(run.status, run.err('text')).to.equal('succeeded')
    expect(run.out('text').split('\n')[0]).to.equal('a "b; echo rm of the DAG')
    expect(run.out('text').split('\n')[1]).to.not.equal(folder)
    expect(run.out('words')).to.equal('a "b; echo rm x; y\n')
    expect(run.out('unset')).to.equal('none\n')
    expect(run.out('own')).to.equal('of a "b; echo rm\n')
    expect(run.out('script')).to.equal('a "b; echo rm one\nthere\n')
  })
  it('14.4: secrets reach the remote command, its script and its `env`, on no command line and in no log', async () => {
    const run = await live.run(`
${dagSsh()}
secrets: [{name: TOKEN, provider: file, key: token}]
steps:
  - {name: text, command: 'rev /proc/$$/cmdline | grep -ac hsuh-hsuh; echo "\${TOKEN}"; printf %s "$TOKEN" | wc -c'}
  - {name: own, env: [{MINE: "x\${TOKEN}"}], command: 'printf %s "$MINE" | wc -c'}
  - {name: script, script: 'printf %s "\${TOKEN}" | wc -c'}
  - {name: word, command: [echo, "\${TOKEN}"], continueOn: {failure: true}}
`)
    expect(run.out('text')).to.equal('0\n*******\n9\n')
    expect([run.out('own'), run.out('script')]).to.deep.equal(['10\n', '9\n'])
    expect(run.err('word')).to.include('holds a secret, which cannot be put into a command line')
  })
  it('10.3.3: `strictHostKey: false` is warned about once per run', async () => {
    const run = await live.run(`
${dagSsh({ strictHostKey: false, knownHostFile: sshd.wrongKnownHosts })}
steps: [echo a, echo b, {executor: ${config({ strictHostKey: false })}, command: echo c}]
`)
    expect(run.status).to.equal('succeeded')
    const log = textOf(run.run.log)
    expect(log.match(/strictHostKey is false/g)).to.have.length(1)
  })
  it('10.3.3: strictHostKey is true by default, for both the DAG and a step', async () => {
    const { strictHostKey: _, ...target } = { ...sshd.target, knownHostFile: sshd.wrongKnownHosts }
    const run = await live.run(`
ssh: ${JSON.stringify(target)}
type: graph
steps: [{name: a, command: echo}, {name: b, executor: {type: ssh, config: ${JSON.stringify(target)}}, command: echo}]
`)
    expect(run.statuses).to.deep.equal(['failed', 'failed'])
    for (const name of ['a', 'b']) expect(run.node(name).error).to.include('is not the known one')
  })
  it('8.4: an ssh client that cannot be created fails the run: no step, no handler', async () => {
    const run = await live.run(`
${dagSsh({ key: '/no/such/key' })}
handlerOn: {exit: {executor: shell, command: echo}}
steps: [{name: a, executor: shell, command: echo}]
`)
    expect([run.status, ...run.statuses, run.node('onExit').status]).to.deep.equal([
      'failed',
      'not_started',
      'not_started'
    ])
    expect(run.run.error).to.include("field 'ssh': the ssh key /no/such/key cannot be read: there is no such file")
  })
})
