/** Actions in workflows: inputs from params, outputs for later steps, a run that is stopped. Source: execution-semantics 10.9. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, type Engine } from '../../../src/index.ts'
import { seen, textOf } from '../../support/engine/live.ts'
import { type ActionRepositories, actionRepositories, withNode, writeFiles } from '../../support/executors/actions.ts'
import { ACTION_CALLS } from '../../support/executors/artifacts.ts'
import { dockerService, IMAGE } from '../../support/executors/docker.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

describe('gha › workflows', () => {
  const service = dockerService()
  let engine: Engine
  let repositories: ActionRepositories
  const earlier = { ...process.env }
  before(async () => {
    Object.assign(process.env, { DOCKER_HOST: service.address, OUTSIDE: 'hush-hush' }) // the server's environment
    engine = await createEngine({ home: temporaryFolder(), defaultShell: 'sh' })
    repositories = actionRepositories()
  })
  after(async () => {
    await engine?.close()
    for (const name of ['DOCKER_HOST', 'OUTSIDE']) {
      if (earlier[name] === undefined) delete process.env[name]
      else process.env[name] = earlier[name]
    }
  })

  it('10.9.1, 10.9.4: params are inputs, expanded; outputs are a JSON object; secrets are masked; env without the base', async () => {
    repositories.commit(
      'acme/hello',
      {
        'action.yml': `
inputs: {who: {required: true}}
runs:
  using: composite
  steps:
    - shell: sh
      run: |
        echo "for \${{ inputs.who }} with $TOKEN, $OF_DAG, \${ENGINE_HOME:-no home}"
        echo "token=$TOKEN" >>"$GITHUB_OUTPUT"
        echo not part of the output
outputs: {greeting: {value: "hello \${{ inputs.who }}"}, token: {value: "\${{ secrets.TOKEN }}"}}
`
      },
      'v1'
    )
    const ended = seen(
      await engine.result(
        await engine.start({
          name: 'greets',
          spec: `
params: "WHO=world"
secrets: [{name: TOKEN, provider: env, key: OUTSIDE}]
env: [OF_DAG: of the DAG]
steps:
  - name: act
    executor:
      type: github-action
      config: {runner: ${IMAGE}, githubInstance: "${repositories.instance}"}
    command: acme/hello@v1
    params: {who: "the \${WHO}"}
    output: OUT
    continueOn: {output: nothing}
  - echo "\${OUT.greeting}"
  - env: [TOKEN_AGAIN: "\${OUT.token}"]
    command: test "$TOKEN_AGAIN" = "$TOKEN" && echo the same
`
        })
      )
    )
    expect(ended.status, JSON.stringify(ended.nodes.map(({ node }) => node.error))).to.equal('succeeded')
    expect(ended.out('act').split('\n').slice(0, 2)).to.deep.equal([
      'for the world with *******, of the DAG, no home',
      'not part of the output'
    ])
    expect([ended.out('cmd_2'), ended.out('cmd_3')]).to.deep.equal(['hello the world\n', 'the same\n'])
    expect(ended.node('act').output).to.equal('{"greeting":"hello the world","token":"*******"}')
  })
  it('10.9.2: artifacts that a step stores are there for a later step of the run', async () => {
    const folder = temporaryFolder()
    const action = (main: string) => ({
      'action.yml': 'runs: {using: node24, main: m.js}',
      'm.js': ACTION_CALLS + main
    })
    repositories.commit('acme/store', action(`store(process.env.INPUT_NAME, 'a text')`), 'v1')
    const read = `call('GetSignedArtifactURL', { name: 'report' }).then(async ({ signedUrl }) => console.log(await (await fetch(signedUrl)).text()))`
    repositories.commit('acme/read', action(read), 'v1')
    const config = `{runner: ${IMAGE}, githubInstance: "${repositories.instance}", containerOptions: "${withNode()}", artifacts: {path: "\${KEPT}"}}`
    const key = await engine.start({
      name: 'keeps',
      spec: `
workingDir: ${folder}
env: [KEPT: kept]
steps:
  - {name: store, executor: {type: gha, config: ${config}}, command: acme/store@v1, params: {name: report}}
  - {name: read, executor: {type: gha, config: ${config}}, command: acme/read@v1}
`
    })
    const ended = seen(await engine.result(key))
    expect(ended.status, JSON.stringify(ended.nodes.map(({ node }) => node.error))).to.equal('succeeded')
    expect(ended.out('read')).to.equal('a text\n')
    expect(readdirSync(join(folder, 'kept', key.dagRunId, 'report'))).to.deep.equal(['report.zip'])
  })
  it('7.3: a stop reaches the action, and nothing is left behind', async function () {
    this.retries(WHEN_BUSY)
    const folder = temporaryFolder()
    writeFiles(folder, {
      'wait/action.yml':
        'runs: {using: composite, steps: [{shell: sh, run: "echo up; while true; do sleep 0.1; done"}]}'
    })
    const key = await engine.start({
      name: 'waits',
      spec: `
workingDir: ${folder}
maxCleanUpTimeSec: 1
steps:
  - {name: act, executor: {type: gha, config: {runner: ${IMAGE}}}, command: ./wait}
`
    })
    await eventually('its start', () => textOf(engine.run(key)?.nodes[0]?.node.stdout) || undefined)
    await engine.stop(key)
    const ended = seen(await engine.result(key))
    expect(ended.status).to.equal('canceled')
    await eventually('the removal', async () =>
      (await service.labelled(`troupe.run=waits/${key.dagRunId}`)).length === 0 ? true : undefined
    )
  })
})
