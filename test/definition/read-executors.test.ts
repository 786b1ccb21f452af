/** The executor of a step: its type, given or that of a container. Source: definition-format "Executors", execution-semantics 1.6, 1.9, 10. */
import { expect } from 'chai'
import { namesOf, oneStep, planOf, problemsOf, stepWith, warningsOf, wrongWith } from './reading.ts'

describe('reader › executors (definition-format "Executors", execution-semantics 10)', () => {
  it('10 a type name, or {type, config}; type missing in the map form = shell', () => {
    expect(stepWith('command: "."', 'executor: jq').executor).to.deep.equal({ type: 'jq', config: {} })
    expect(stepWith('command: x', 'executor: {config: {a: 1}}').executor).to.deep.equal({
      type: 'shell',
      config: { a: 1 }
    })
    expect(stepWith('command: x').executor).to.deep.equal({ type: 'shell', config: {} })
  })
  it('1.6 other names become the canonical type', () => {
    const typeOf = (name: string, command = 'x') =>
      stepWith(`command: ${command}`, `executor: {type: "${name}", config: {image: i}}`).executor.type
    expect(typeOf('command')).to.equal('shell')
    expect(typeOf('container')).to.equal('docker')
    expect(typeOf('subworkflow')).to.equal('dag')
    expect([typeOf('github_action', 'a/b@v1'), typeOf('github-action', 'a/b@v1')]).to.deep.equal(['gha', 'gha'])
  })
  it('10 unknown type: not registered, refused at load', () => {
    expect(problemsOf(oneStep('command: x', 'executor: {type: ftp}'))).to.deep.equal([
      {
        message: 'field \'type\': executor type "ftp" is not registered',
        path: 'steps[0].executor.type',
        line: 4,
        column: 22
      }
    ])
  })
  it('1.9 container of a step: the docker executor with its words, and its own also where the DAG has one', () => {
    const container =
      'container: {image: i, env: [A=b], volumes: [".:/x"], ports: ["80"], network: n, user: u, workDir: /x}'
    expect(stepWith('command: x', container).executor).to.deep.equal({
      type: 'docker',
      own: true,
      config: {
        image: 'i',
        pull: 'missing',
        autoRemove: true,
        ports: ['80'],
        container: { env: { A: 'b' }, user: 'u', workingDir: '/x' },
        host: { binds: ['.:/x'], init: true },
        network: 'n'
      }
    })
    const more = stepWith(
      'command: x',
      'container: {image: i, name: n, keepContainer: true, platform: p, pull: always}'
    )
    expect(more.executor.config).to.include({ containerName: 'n', autoRemove: false, platform: 'p', pull: 'always' })
    expect(stepWith('command: x', 'container: " db "').executor.config).to.deep.equal({ containerName: 'db' })
    expect(namesOf('steps: [{container: db, command: x}]')).to.deep.equal(['container_1'])
  })
  it('1.9 container of a step: what it cannot be, and what has no effect', () => {
    expect(wrongWith('command: x', 'container: {}')).to.deep.equal([
      "field 'image': image is required when container is specified"
    ])
    expect(wrongWith('command: x', 'container: ""')).to.deep.equal([
      "field 'container': the name of a running container is required"
    ])
    expect(wrongWith('command: x', 'container: {image: i, ports: [x], other: 1}')).to.have.length(2)
    expect(wrongWith('command: x', 'executor: shell', 'container: db')).to.deep.equal([
      "field 'container': container and executor are exclusive"
    ])
    expect(wrongWith('call: x', 'container: db')).to.deep.equal(["field 'container': container and call are exclusive"])
    expect(
      warningsOf(oneStep('command: x', 'container: {image: i, waitFor: running, restartPolicy: always}'))
    ).to.deep.equal([
      'steps[0].container.waitFor: has no effect on the container of a step, only on that of a workflow',
      'steps[0].container.restartPolicy: has no effect on the container of a step, only on that of a workflow'
    ])
  })
  it('a handler may be a call or have an executor', () => {
    const { handlers } = planOf('handlerOn: {exit: {call: kid}, failure: {command: GET http://a, executor: http}}')
    expect([handlers.exit?.call, handlers.failure?.executor.type]).to.deep.equal(['kid', 'http'])
  })
})
