import { expect } from 'chai'
import { messagesOf, namesOf, oneStep, planOf, problemsOf, stepOf, warningsOf } from './reading.ts'

const stepWith = (...lines: string[]) => stepOf(oneStep(...lines))
const wrongWith = (...lines: string[]) => messagesOf(oneStep(...lines))
const repeatOf = (policy: string) => stepWith('command: x', `repeatPolicy: ${policy}`).repeat
const NONE = { exitCodes: [], intervalMs: 0, limit: 0, backoff: 1, maxIntervalMs: 0 }

describe('reader › repeatPolicy (execution-semantics 6.2)', () => {
  for (const [policy, repeat] of Object.entries({
    '{repeat: true}': { ...NONE, mode: 'while' },
    '{repeat: true, condition: c}': { ...NONE, mode: 'while', condition: { condition: 'c' } },
    '{repeat: true, condition: c, expected: e}': {
      ...NONE,
      mode: 'while',
      condition: { condition: 'c', expected: 'e' }
    },
    '{repeat: true, exitCode: [1]}': { ...NONE, mode: 'while', exitCodes: [1] },
    '{repeat: while, condition: c}': { ...NONE, mode: 'while', condition: { condition: 'c' } },
    '{repeat: while, exitCode: 1}': { ...NONE, mode: 'while', exitCodes: [1] },
    '{repeat: until, condition: c}': { ...NONE, mode: 'until', condition: { condition: 'c' } },
    '{repeat: until, exitCode: [0, 2]}': { ...NONE, mode: 'until', exitCodes: [0, 2] },
    '{condition: c, expected: e}': { ...NONE, mode: 'until', condition: { condition: 'c', expected: 'e' } },
    '{repeat: false, condition: c, expected: e}': {
      ...NONE,
      mode: 'until',
      condition: { condition: 'c', expected: 'e' }
    },
    '{condition: c}': { ...NONE, mode: 'while', condition: { condition: 'c' } },
    '{exitCode: [3]}': { ...NONE, mode: 'while', exitCodes: [3] }
  })) {
    it(`6.2 ${policy}`, () => {
      expect(repeatOf(policy)).to.deep.equal(repeat)
    })
  }

  it('6.2 absent or false with nothing: no repeat', () => {
    for (const policy of ['{}', '{repeat: false}', '{intervalSec: 1}', '{repeat: false, limit: 3}']) {
      expect(repeatOf(policy), policy).to.equal(undefined)
    }
  })

  it('6.2 while/until with neither is a load error', () => {
    for (const mode of ['while', 'until']) {
      expect(problemsOf(oneStep('command: x', `repeatPolicy: {repeat: ${mode}, limit: 2}`))).to.deep.equal([
        {
          message: `field 'repeat': repeat mode '${mode}' requires either 'condition' or 'exitCode' to be specified`,
          path: 'steps[0].repeatPolicy.repeat',
          line: 4,
          column: 28
        }
      ])
    }
    expect(wrongWith('command: x', 'repeatPolicy: {repeat: while, exitCode: soon}'), 'told once').to.have.length(1)
  })

  it('6.2 other text is a load error', () => {
    for (const [text, shown] of Object.entries({ forever: 'forever', '"true"': 'true', 3: '3', '[a]': '["a"]' })) {
      expect(wrongWith('command: x', `repeatPolicy: {repeat: ${text}}`), text).to.deep.equal([
        `field 'repeat': invalid value for repeat: '${shown}'. It must be 'while', 'until', or a boolean`
      ])
    }
  })

  it('intervalSec, limit, backoff and maxIntervalSec', () => {
    expect(repeatOf('{repeat: true, intervalSec: 2, limit: 3, backoff: 1.5, maxIntervalSec: 60}')).to.deep.equal({
      ...NONE,
      mode: 'while',
      intervalMs: 2000,
      limit: 3,
      backoff: 1.5,
      maxIntervalMs: 60_000
    })
    expect(wrongWith('command: x', 'repeatPolicy: {repeat: true, limit: -1, backoff: 1}')).to.have.length(2)
    expect(wrongWith('command: x', 'repeatPolicy: {repeat: true, limits: 1}')[0]).to.match(/has invalid keys: limits/)
  })

  it('5.4.1 an invalid pattern in expected is refused at load', () => {
    expect(wrongWith('command: x', 'repeatPolicy: {condition: a, expected: "re:("}')[0]).to.contain(
      'invalid regular expression'
    )
  })
})

describe('reader › sub workflows (execution-semantics 9.1, 9.2, 9.4)', () => {
  it('9.1.1 call: a name or a path, kept as written', () => {
    const step = stepWith('call: "${KID}/x"')
    expect(step).to.deep.include({ call: '${KID}/x', executor: { type: 'dag', config: {} } })
    expect(step).not.to.have.property('command')
  })
  it('1.6 run is another name of call, with a warning; call wins', () => {
    expect(stepWith('run: kid').call).to.equal('kid')
    expect(stepWith('run: kid', 'call: other').call).to.equal('other')
    expect(warningsOf('steps: [{run: kid}]')).to.deep.equal([
      'steps[0].run: step field `run` is deprecated, use `call`'
    ])
    expect(warningsOf('steps: [{call: kid}]')).to.deep.equal([])
  })
  it('9.1.5 executor dag or subworkflow with command equals call', () => {
    for (const executor of ['dag', 'subworkflow', '{type: dag}']) {
      const step = stepWith('command: kid', `executor: ${executor}`)
      expect(step, executor).to.deep.include({ call: 'kid', executor: { type: 'dag', config: {} } })
      expect(step).not.to.have.property('command')
    }
    expect(wrongWith('executor: dag')).to.deep.equal(["field 'call': the name of a workflow is required"])
    expect(wrongWith('call: ""')).to.deep.equal(["field 'call': the name of a workflow is required"])
  })
  it('call and another executor are exclusive; what a call makes idle is warned of', () => {
    expect(wrongWith('call: kid', 'executor: shell')).to.deep.equal([
      "field 'call': call and executor shell are exclusive"
    ])
    expect(warningsOf(oneStep('call: kid', 'command: x', 'script: y'))).to.deep.equal([
      'steps[0].command: has no effect on a step that calls a workflow',
      'steps[0].script: has no effect on a step that calls a workflow'
    ])
  })
  it('9.2.1 params of a step: string, list or map; schema is an ordinary name there', () => {
    const paramsOf = (text: string) =>
      stepWith('call: kid', `params: ${text}`).params?.map((p) => `${p.name}=${p.value}`)
    expect(paramsOf('one A="x y"')).to.deep.equal(['1=one', 'A=x y'])
    expect(paramsOf('[{A: "${B}"}, two]')).to.deep.equal(['A=${B}', '2=two'])
    expect(paramsOf('{A: 1, B: {c: d}}')).to.deep.equal(['A=1', 'B={"c":"d"}'])
    expect(paramsOf('{schema: x}')).to.deep.equal(['schema=x'])
    expect(stepWith('call: kid')).not.to.have.property('params')
  })
  it('2.2.5, 9.2.1 params of a step that are a JSON object set by key, as they are written; other text in braces is refused', () => {
    const paramsOf = (text: string) => stepWith('call: kid', `params: ${text}`).params
    expect(paramsOf(`'{"A":"${'${W}'}", "N": 1.10, "L": ["${'${W}'}"]}'`)).to.deep.equal([
      { name: 'A', value: '${W}', positional: false },
      { name: 'N', value: '1.10', positional: false },
      { name: 'L', value: '["${W}"]', isJson: true, positional: false }
    ])
    expect(paramsOf(`[{B: 1}, '{"A":"x"}', "[y]"]`)?.map((p) => `${p.name}=${p.value}`)).to.deep.equal([
      'B=1',
      'A=x',
      '3=[y]'
    ])
    expect(paramsOf(`'["x y", {"A":"z"}]'`)?.map((p) => `${p.name}=${p.value}`)).to.deep.equal(['1=x', '2=y', 'A=z'])
    expect(paramsOf('"${W}"')).to.deep.equal([{ name: '1', value: '${W}', positional: true }])
    expect(wrongWith('call: kid', `params: '{"N":${'${N}'}}'`)[0]).to.contain("field 'params': must be words, or JSON")
  })
  it('4.2, 10: shell and shellPackages are warned of where no shell of this machine reads the command', () => {
    const idle = (executor: string, ...lines: string[]) =>
      warningsOf(oneStep('command: GET http://h', `executor: ${executor}`, ...lines))
    expect(idle('{type: docker, config: {image: i}}', 'shell: bash')).to.deep.equal([
      'steps[0].shell: has no effect on a step of the executor docker'
    ])
    expect(idle('http', 'shell: [bash, -e]', 'shellPackages: [jq]')).to.deep.equal([
      'steps[0].shell: has no effect on a step of the executor http',
      'steps[0].shellPackages: has no effect on a step of the executor http'
    ])
    expect(warningsOf(`container: {image: i}\n${oneStep('command: x', 'shell: bash')}`)).to.deep.equal([
      'steps[0].shell: has no effect on a step of the executor docker'
    ])
    expect(warningsOf(`container: {image: i}\nshell: bash\n${oneStep('command: x')}`)).to.deep.equal([])
    expect(warningsOf(oneStep('call: kid', 'shell: bash'))).to.deep.equal([
      'steps[0].shell: has no effect on a step that calls a workflow'
    ])
    expect(idle('shell', 'shell: bash', 'shellPackages: [jq]')).to.deep.equal([])
  })
  it('10.3.6 shell of a step over ssh is that of its script, and warned of without one', () => {
    const over = (...lines: string[]) => warningsOf(`ssh: {host: h, user: u}\n${oneStep('shell: bash', ...lines)}`)
    expect(over('script: x')).to.deep.equal([])
    expect(over('command: x')).to.deep.equal(['steps[0].shell: has no effect on a step over ssh without a script'])
  })
  it('params on a step that calls nothing are warned of', () => {
    expect(warningsOf(oneStep('command: x', 'params: A=1'))).to.deep.equal([
      'steps[0].params: has no effect on a step that neither calls a workflow nor is an action'
    ])
  })

  const parallelOf = (text: string) => stepWith('call: kid', `parallel: ${text}`).parallel
  it('9.4.1 parallel only with call', () => {
    expect(wrongWith('command: x', 'parallel: [1]')).to.deep.equal([
      "field 'parallel': parallel execution is only supported for child-DAGs (must have 'run' field)"
    ])
    expect(stepWith('command: kid', 'executor: dag', 'parallel: [a]')).to.deep.include({ call: 'kid' })
  })
  it('9.4.2 forms: list; text; {items: list or text, maxConcurrent}', () => {
    expect(parallelOf('[a, 1.10, {k: v, n: 2}]')).to.deep.equal({
      items: ['a', '1.10', { k: 'v', n: '2' }],
      maxConcurrent: 10
    })
    expect(parallelOf('"${ITEMS}"')).to.deep.equal({ items: '${ITEMS}', maxConcurrent: 10 })
    expect(parallelOf('{items: [a], maxConcurrent: 2, other: ignored}')).to.deep.equal({
      items: ['a'],
      maxConcurrent: 2
    })
    expect(parallelOf('{items: "${X}"}')?.items).to.equal('${X}')
  })
  it('9.4.2 nested values: error', () => {
    for (const text of ['[[a]]', '[{a: {b: c}}]', '[{a: [b]}]', '[null]', '{items: [[a]]}', '{items: {a: b}}', '{}']) {
      expect(wrongWith('call: kid', `parallel: ${text}`), text).to.have.length(1)
    }
  })
  it('9.4.3 maxConcurrent must be greater than 0, at most 1000', () => {
    expect(wrongWith('call: kid', 'parallel: {items: [a], maxConcurrent: 0}')).to.deep.equal([
      "field 'maxConcurrent': maxConcurrent must be greater than 0 (value: 0)"
    ])
    expect(parallelOf('{items: [a], maxConcurrent: 1000}')?.maxConcurrent).to.equal(1000)
    expect(wrongWith('call: kid', 'parallel: {items: [a], maxConcurrent: 1001}')).to.have.length(1)
  })
})

describe('reader › further step fields (definition-format "Step fields")', () => {
  it('mailOnError: boolean, default false', () => {
    expect([stepWith('command: x', 'mailOnError: true').mailOnError, stepWith('command: x').mailOnError]).to.deep.equal(
      [true, false]
    )
  })
  it('shellPackages: packages for a shell that installs them', () => {
    expect(stepWith('command: x', 'shellPackages: [jq, curl]').shellPackages).to.deep.equal(['jq', 'curl'])
    expect(stepWith('command: x').shellPackages).to.deep.equal([])
  })
  it('1.9 workerSelector: accepted; effective only on workflows', () => {
    const text = oneStep('command: x', 'workerSelector: {gpu: "1"}')
    expect(stepOf(text).workerSelector).to.deep.equal({ gpu: '1' })
    expect(warningsOf(text)).to.deep.equal(['steps[0].workerSelector: has no effect on a step, only on a workflow'])
  })
  it('13.5.3 onInterrupt on a step; absent: as the DAG says', () => {
    expect(stepWith('command: x', 'onInterrupt: rerun').onInterrupt).to.equal('rerun')
    expect(stepWith('command: x')).not.to.have.property('onInterrupt')
    expect(wrongWith('command: x', 'onInterrupt: again')).to.have.length(1)
  })
})

describe('reader › automatic names (execution-semantics 1.5.3)', () => {
  it('executor type if set, else parallel, dag, script, cmd', () => {
    expect(
      namesOf(
        'steps: [{executor: jq, command: .}, {executor: command, command: x}, {call: k, parallel: [a]}, {call: k},' +
          ' {executor: dag, command: k}, {executor: dag, command: k, parallel: [a]}, {script: x}, {command: "a\\nb"}, x]'
      )
    ).to.deep.equal([
      ...['jq_1', 'command_2', 'parallel_3', 'dag_4', 'dag_5', 'parallel_6', 'script_7', 'script_8', 'cmd_9']
    ])
  })
  it('in a DAG with container or ssh the prefix is container or ssh', () => {
    const steps = 'steps: [x, {script: y}, {executor: shell, command: z}, {call: k}]'
    expect(namesOf(`container: {image: i}\n${steps}`)).to.deep.equal([
      ...['container_1', 'container_2', 'shell_3', 'dag_4']
    ])
    expect(namesOf(`ssh: {host: h}\n${steps}`)).to.deep.equal(['ssh_1', 'ssh_2', 'shell_3', 'dag_4'])
  })
})

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
