/** What the configuration of each executor may be. Source: definition-format "Executors", execution-semantics 10.2-10.9. */
import { expect } from 'chai'
import { messagesOf, oneStep, problemsOf, stepOf, stepWith, warningsOf, wrongWith } from './reading.ts'

describe('reader › executors (definition-format "Executors", execution-semantics 10)', () => {
  it('config is read as JSON, deep; numbers that would lose digits stay text', () => {
    expect(
      stepWith(
        'command: "."',
        'executor: {type: jq, config: {raw: true, x: {y: [1, 1.10, 007, null, 12345678901234567890, a]}}}'
      ).executor.config
    ).to.deep.equal({ raw: true, x: { y: [1, '1.10', '007', null, '12345678901234567890', 'a'] } })
    expect(wrongWith('command: x', 'executor: {type: jq, config: [a]}')).to.deep.equal([
      'field \'config\': must be a map (value: ["a"])'
    ])
  })
  it('a key of the config with a value of another form is refused; a text with variables may become it', () => {
    expect(
      wrongWith('command: GET http://a', 'executor: {type: http, config: {timeout: [1], silent: 1}}')
    ).to.deep.equal([
      "field 'timeout': must be: whole seconds (value: [1])",
      "field 'silent': must be: boolean (value: 1)"
    ])
    expect(
      wrongWith('command: GET http://a', 'executor: {type: http, config: {timeout: "${T}", silent: "${S}"}}')
    ).to.deep.equal([])
  })

  it('10 wrong config found by validation: all problems of every executor, each where it stands', () => {
    const wrong = (executor: string, ...more: string[]) =>
      problemsOf(oneStep(...more, `executor: ${executor}`)).map(({ path, message, column }) => [
        path.replace(/^steps\[0\]\.(?:executor\.config\.)?/, ''),
        message.replace(/^field '[^']*': | \(value: .*\)$/g, ''),
        column
      ])
    const flag = 'must be: boolean'
    expect(wrong('{type: docker, config: {image: i, pull: sometimes, autoRemove: perhaps, host: []}}')).to.deep.equal([
      ['pull', 'must be: `always`, `missing`, `never`, or boolean', 55],
      ['autoRemove', flag, 78],
      ['host', 'must be: map', 93]
    ])
    expect(wrong('{type: ssh, config: {host: h, port: 99999, strictHostKey: maybe}}', 'command: x')).to.deep.equal([
      ['port', 'must be: port from 1 to 65535', 51],
      ['strictHostKey', flag, 73]
    ])
    expect(
      wrong('{type: http, config: {timeout: soon, silent: perhaps, headers: [a]}}', 'command: GET ftp://h')
    ).to.deep.equal([
      ['command', 'http executor requires a URL that begins with http:// or https://', 14],
      ['timeout', 'must be: whole seconds', 46],
      ['silent', flag, 60],
      ['headers', 'must be: map of texts', 78]
    ])
    expect(
      wrong(
        '{type: archive, config: {source: s, destination: d, format: rar, stripComponents: some, compressionLevel: high}}',
        'command: create'
      ).map(([path]) => path)
    ).to.deep.equal(['format', 'stripComponents', 'compressionLevel'])
    expect(wrong('{type: mail, config: {to: " ", attachments: {}}}').map(([path]) => path)).to.deep.equal([
      'to',
      'attachments'
    ])
    expect(wrong('{type: jq, config: {raw: perhaps}}').map(([path]) => path)).to.deep.equal(['command', 'raw'])
    expect(
      wrong('{type: gha, config: {autoRemove: 7, network: []}}', 'command: x').map(([path]) => path)
    ).to.deep.equal(['command', 'autoRemove', 'network'])
  })
  it('10.4.2 a list in the query gives a pair for each of its items; a list of lists does not', () => {
    const withQuery = (query: string) =>
      wrongWith('command: GET http://a', `executor: {type: http, config: {query: ${query}}}`)
    expect(withQuery('{q: [a, 1], page: 2}')).to.deep.equal([])
    expect(withQuery('{q: [[a]]}')).to.deep.equal([
      'field \'query\': must be: map of texts or lists of texts (value: {"q":[["a"]]})'
    ])
  })
  it('10.4.2 values convert weakly: a text that says it will do, as does one with variables', () => {
    const texts = 'timeout: "5", silent: "t", json: " FALSE ", debug: "1", skipTLSVerify: "${S}"'
    expect(wrongWith('command: GET "HTTP://a"', `executor: {type: http, config: {${texts}}}`)).to.deep.equal([])
    const numbers = 'stripComponents: "2", compressionLevel: " -1 ", format: .TAR.gz'
    expect(
      wrongWith('command: create', `executor: {type: archive, config: {source: s, destination: d, ${numbers}}}`)
    ).to.deep.equal([])
    for (const pull of ['always', 'true', '"false"', '""', '"${PULL}"'])
      expect(docker(`{image: i, pull: ${pull}}`), pull).to.deep.equal([])
    for (const port of ['22', '"22"', '""', '"${PORT}"', '65535'])
      expect(wrongWith('command: x', `executor: {type: ssh, config: {host: h, port: ${port}}}`), port).to.deep.equal([])
    for (const port of ['0', '65536', '-1', 'ssh', '2.5', '[]'])
      expect(messagesOf(`ssh: {host: h, port: ${port}}\nsteps: [a]`), port).to.have.length(1)
    expect(messagesOf('smtp: {host: h, port: smtp}\nsteps: [a]')).to.have.length(1)
  })

  const docker = (config: string) => wrongWith(`executor: {type: docker, config: ${config}}`)
  it('10.2.2 docker needs image or containerName', () => {
    expect(docker('{pull: always}')).to.deep.equal(["field 'config': containerName or image must be specified"])
    expect(docker('{image: "", containerName: ""}')).to.have.length(1)
    for (const config of ['{image: i}', '{containerName: c}', '{Image: i, containerName: c}']) {
      expect(docker(config), config).to.deep.equal([])
    }
  })
  it('10.2.3 docker exec options require containerName', () => {
    expect(docker('{image: i, exec: {user: root}}')).to.deep.equal([
      "field 'config': 'exec' options require 'containerName' (exec-in-existing mode)"
    ])
    expect(docker('{image: i, containerName: c, exec: {user: root}}')).to.deep.equal([])
  })
  it('10.2.23 in a DAG with container, the config of docker steps does not matter', () => {
    expect(messagesOf('container: {image: i}\nsteps: [{executor: docker, command: x}]')).to.deep.equal([])
  })
  it('10.3.1 ssh without configuration on the step or the DAG is refused', () => {
    expect(wrongWith('command: x', 'executor: ssh')).to.deep.equal(["field 'config': ssh configuration is not found"])
    expect(wrongWith('command: x', 'executor: {type: ssh, config: {user: u}}')).to.deep.equal([
      "field 'host': ssh host is required"
    ])
    expect(messagesOf('ssh: {host: h}\nsteps: [{executor: ssh, command: x}]')).to.deep.equal([])
    expect(wrongWith('executor: {type: ssh, config: {ip: 10.0.0.1}}')).to.deep.equal([
      "field 'command': step command is required"
    ])
  })
  it('10.4.1 http executor requires "<METHOD> <URL>"', () => {
    for (const command of ['GET', 'http://a', '"GET http://a b"']) {
      expect(wrongWith(`command: ${command}`, 'executor: http')[0], command).to.match(
        /^field 'command': http executor requires "<METHOD> <URL>"/
      )
    }
    expect(wrongWith('executor: http')).to.have.length(1)
    for (const command of ['get http://a', 'PATCH "${URL}"', '${REQUEST}', '[GET, http://a]']) {
      expect(wrongWith(`command: ${command}`, 'executor: http'), command).to.deep.equal([])
    }
    expect(
      wrongWith('command: GET', 'args: [http://a]', 'executor: http'),
      'args go on with the command'
    ).to.deep.equal([])
  })
  it('10.5.1, 10.5.2 archive: operation, source, and destination for create unless dryRun', () => {
    const archive = (command: string, config: string) =>
      wrongWith(`command: ${command}`, `executor: {type: archive, config: ${config}}`)
    expect(archive('pack', '{source: a}')[0]).to.contain('requires the command extract, create or list')
    expect(archive('list', '{}')).to.deep.equal(["field 'source': archive source is required"])
    expect(archive('CREATE', '{source: a}')).to.deep.equal([
      "field 'destination': archive destination is required for create"
    ])
    for (const config of ['{source: a, destination: b}', '{source: a, dryRun: true}']) {
      expect(archive('create', config), config).to.deep.equal([])
    }
    expect(archive('extract', '{source: a}')).to.deep.equal([])
  })
  it('10.6.2 mail: no valid recipients specified', () => {
    const mail = (config: string) => wrongWith(`executor: {type: mail, config: ${config}}`)
    for (const config of ['{}', '{to: ""}', '{to: []}', '{to: [" "]}']) {
      expect(mail(config), config).to.deep.equal(["field 'to': no valid recipients specified"])
    }
    expect([...mail('{to: a@b}'), ...mail('{to: ["", a@b]}')]).to.deep.equal([])
  })
  it('10.7.1 jq: the filter is the whole command, several lines too; script is the input', () => {
    expect(wrongWith('executor: jq')).to.deep.equal(["field 'command': jq executor requires a filter"])
    const step = stepWith('command: |', '  .a', '  | .b', "script: '{}'", 'executor: jq')
    expect([step.command, step.script]).to.deep.equal(['.a\n| .b', '{}'])
  })
  it('10.9.1 gha: an action is required; params are its inputs, without a warning', () => {
    const wanted = 'wanted one action: owner/repo@ref, owner/repo/path@ref or ./folder'
    expect(wrongWith('executor: gha')).to.deep.equal([`field 'command': ${wanted}`])
    expect(wrongWith('command: a/b', 'executor: gha')).to.deep.equal([`field 'command': ${wanted} (value: "a/b")`])
    expect(wrongWith('command: a/b@v1 c/d@v1', 'executor: gha')[0]).to.contain(wanted)
    expect(wrongWith('command: "${ACTION}@v1"', 'executor: gha')).to.deep.equal([])
    const text = oneStep('command: actions/checkout@v4', 'executor: gha', 'params: {ref: main}')
    expect(stepOf(text).params).to.deep.equal([{ name: 'ref', value: 'main', positional: false }])
    expect(warningsOf(text)).to.deep.equal([])
  })
  it('10.9.2 gha: artifacts have a path, and a port; anything else is refused where it stands', () => {
    const artifacts = (text: string) => oneStep('command: ./a', `executor: {type: gha, config: {artifacts: ${text}}}`)
    for (const text of ['{path: x}', '{path: "${X}", port: "34567"}', '{path: x, port: "${PORT}"}', '~'])
      expect(problemsOf(artifacts(text)), text).to.deep.equal([])
    for (const text of ['{port: 1}', '{path: x, port: 65536}', '{path: x, prot: 1}', 'x'])
      expect(
        problemsOf(artifacts(text))
          .map(({ message }) => message)
          .join(),
        text
      ).to.match(/artifacts|port|prot/)
    expect(problemsOf(artifacts('[x]'))).to.deep.equal([
      {
        message: 'field \'artifacts\': must be: map of `path` and `port` (value: ["x"])',
        path: 'steps[0].executor.config.artifacts',
        line: 4,
        column: 47
      }
    ])
  })
})
