/** An action in a workflow: inputs from params, outputs as the output of the step. Source: execution-semantics 10.9. */
import { expect } from 'chai'
import { createEngine, type Engine } from '../../../src/index.ts'
import { seen } from '../../support/engine/live.ts'
import { type ActionRepositories, actionRepositories } from '../../support/executors/actions.ts'
import { dockerService, IMAGE } from '../../support/executors/docker.ts'
import { temporaryFolder } from '../../support/homes.ts'

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
})
