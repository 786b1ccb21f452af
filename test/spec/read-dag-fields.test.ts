import { expect } from 'chai'
import { messagesOf, planOf, problemsOf } from './reading.ts'

const read = (text: string) => planOf(text)
const wrong = (text: string) => messagesOf(text)

/** One test per row of the table "DAG-level fields" that is not tested with its own grammar elsewhere. */
describe('reader › DAG-level fields (definition-format, execution-semantics 1.7, 1.8)', () => {
  it('name, description, group: text', () => {
    expect(read('name: a\ndescription: 1.10\ngroup: " g "')).to.include({ name: 'a', description: '1.10', group: 'g' })
  })
  it('tags: list, or comma separated string', () => {
    expect(read('tags: [A, " b "]').tags).to.deep.equal(['a', 'b'])
    expect(read('tags: A, b,').tags).to.deep.equal(['a', 'b'])
  })
  it('type: chain (default) or graph', () => {
    expect([read('{}').type, read('type: graph').type]).to.deep.equal(['chain', 'graph'])
  })
  it('restartWaitSec: integer, in milliseconds, default 0', () => {
    expect([read('restartWaitSec: 60').restartWaitMs, read('{}').restartWaitMs]).to.deep.equal([60_000, 0])
    expect(wrong('restartWaitSec: -1')).to.deep.equal([
      "field 'restartWaitSec': restartWaitSec must be zero or greater (value: -1)"
    ])
  })
  it('skipIfSuccessful: boolean, default false', () => {
    expect([read('skipIfSuccessful: true').skipIfSuccessful, read('{}').skipIfSuccessful]).to.deep.equal([true, false])
    expect(wrong('skipIfSuccessful: 1')).to.deep.equal(["field 'skipIfSuccessful': must be true or false (value: 1)"])
  })
  it('queue: named queue; unset: that of the DAG', () => {
    expect(read('queue: " batch "').queue).to.equal('batch')
    for (const text of ['{}', 'queue: ""', 'queue:']) expect(read(text), text).not.to.have.property('queue')
  })
  it('maxActiveRuns: 1 when absent or 0; negative = no limit', () => {
    expect(['{}', 'maxActiveRuns: 0', 'maxActiveRuns: -1'].map((text) => read(text).maxActiveRuns)).to.deep.equal([
      1, 1, -1
    ])
  })
  it('maxActiveSteps: 0 = unlimited; negative is an error', () => {
    expect([read('{}').maxActiveSteps, read('maxActiveSteps: 2').maxActiveSteps]).to.deep.equal([0, 2])
    expect(wrong('maxActiveSteps: -1')).to.have.length(1)
  })
  it('delaySec, timeoutSec: seconds, 0 = off; negative is an error', () => {
    expect(read('delaySec: 2\ntimeoutSec: 3')).to.include({ delayMs: 2000, timeoutMs: 3000 })
    expect(read('{}')).to.include({ delayMs: 0, timeoutMs: 0 })
    expect(wrong('delaySec: -1\ntimeoutSec: -1')).to.deep.equal([
      "field 'delaySec': delaySec must be zero or greater (value: -1)",
      "field 'timeoutSec': timeoutSec must be zero or greater (value: -1)"
    ])
  })
  it('maxCleanUpTimeSec: 5 when absent or 0', () => {
    expect(['{}', 'maxCleanUpTimeSec: 0', 'maxCleanUpTimeSec: 7'].map((text) => read(text).cleanUpMs)).to.deep.equal([
      5000, 5000, 7000
    ])
  })
  it('11.13 catchup: none (default), last, all', () => {
    expect(['{}', 'catchup: last', 'catchup: all'].map((text) => read(text).catchup)).to.deep.equal([
      'none',
      'last',
      'all'
    ])
    expect(wrong('catchup: some')).to.deep.equal([
      "field 'catchup': invalid catchup: some (must be one of: none, last, all)"
    ])
  })
  it('histRetentionDays: 30 when absent, 0 is honoured, -1 keeps forever', () => {
    const days = ['{}', 'histRetentionDays: 0', 'histRetentionDays: -1'].map((text) => read(text).histRetentionDays)
    expect(days).to.deep.equal([30, 0, -1])
    expect(wrong('histRetentionDays: 1.5')).to.deep.equal([
      "field 'histRetentionDays': must be an integer (value: 1.5)"
    ])
  })
  it('maxOutputSize: 1048576 when absent', () => {
    expect([read('{}').maxOutputSize, read('maxOutputSize: 9').maxOutputSize]).to.deep.equal([1_048_576, 9])
  })
  it('logDir: kept as written, variables unexpanded', () => {
    expect(read('logDir: /l/${DAG_NAME}').logDir).to.equal('/l/${DAG_NAME}')
    expect(read('{}')).not.to.have.property('logDir')
  })
  it('workingDir, shell: kept as written', () => {
    expect(read('workingDir: ~/x\nshell: bash -e')).to.deep.include({ workingDir: '~/x', shell: ['bash', '-e'] })
  })
  it('env: list of maps or KEY=value strings, or one map', () => {
    const expected = [
      { key: 'A', value: '1' },
      { key: 'B', value: 'x=y' }
    ]
    expect(read('env: [{A: 1}, B=x=y]').env).to.deep.equal(expected)
    expect(read('env: {A: 1, B: "x=y"}').env).to.deep.equal(expected)
  })
  it('dotenv: string or list; null = default .env; [] = none', () => {
    const files = ['{}', 'dotenv:', 'dotenv: a.env', 'dotenv: [a, b]', 'dotenv: []'].map((text) => read(text).dotenv)
    expect(files).to.deep.equal([['.env'], ['.env'], ['a.env'], ['a', 'b'], []])
    expect(wrong('dotenv: {a: b}')).to.deep.equal([
      'field \'dotenv\': must be a string or a list of strings (value: {"a":"b"})'
    ])
  })
  it('params: string of positional values, list, or map', () => {
    const shown = (text: string) => read(text).params.map(({ name, value }) => `${name}=${value}`)
    expect(shown('params: one A=2')).to.deep.equal(['1=one', 'A=2'])
    expect(shown('params: [{A: 2}, three]')).to.deep.equal(['A=2', '2=three'])
    expect(shown('params: {A: 2}')).to.deep.equal(['A=2'])
  })
  it('2.3.1 params: {schema, values}; schema mode only when schema is a string; values may be missing', () => {
    const plan = read('params: {schema: ./s.json, values: {A: 1, B: [x, 2]}}')
    expect(plan.paramSchema).to.equal('./s.json')
    expect(plan.params).to.deep.equal([
      { name: 'A', value: '1', positional: false },
      { name: 'B', value: '["x",2]', isJson: true, positional: false }
    ])
    expect(read('params: {schema: s}').params).to.deep.equal([])
    expect(read('params: {schema: 5}')).to.deep.include({ params: [{ name: 'schema', value: '5', positional: false }] })
    expect(read('params: {schema: 5}')).not.to.have.property('paramSchema')
    expect(wrong('params: {schema: s, value: {}}')).to.deep.equal([
      "field 'params': has invalid keys: value (did you mean values instead of value?)"
    ])
  })
  it('handlerOn: object with success, failure, exit, cancel', () => {
    expect(Object.keys(read('handlerOn: {exit: a, success: b, cancel: c, failure: d}').handlers)).to.have.members([
      ...['success', 'failure', 'cancel', 'exit']
    ])
  })
  it('mailOn: {failure, success}, false when absent', () => {
    expect(read('mailOn: {failure: true}').mailOn).to.deep.equal({ failure: true, success: false })
    expect(read('{}').mailOn).to.deep.equal({ failure: false, success: false })
    expect(wrong('mailOn: {failed: true}')[0]).to.match(/^field 'mailOn': has invalid keys: failed/)
  })
  it('errorMail, infoMail: {from, to, prefix, attachLogs}; to is a string or a list', () => {
    const plan = read('errorMail: {from: a, to: b}\ninfoMail: {from: a, to: [b, "", c], prefix: p, attachLogs: true}')
    expect(plan.errorMail).to.deep.equal({ from: 'a', to: ['b'], prefix: '', attachLogs: false })
    expect(plan.infoMail).to.deep.equal({ from: 'a', to: ['b', 'c'], prefix: 'p', attachLogs: true })
  })
  it('14.3.7 errorMail without from and without to counts as absent', () => {
    expect(read('errorMail: {prefix: p}')).not.to.have.property('errorMail')
  })
  it('smtp: {host, port, username, password}; port is a string or an integer', () => {
    expect(read('smtp: {host: h, port: 25, username: u, password: "${P}"}').smtp).to.deep.equal({
      host: 'h',
      port: '25',
      username: 'u',
      password: '${P}'
    })
    expect(read('smtp: {host: h}').smtp?.port).to.equal('587')
    expect(wrong('smtp: {port: 25}')).to.deep.equal(["field 'host': smtp host is required"])
  })
  it('secrets: list of {name, provider, key}, with options', () => {
    expect(
      read('secrets: [{name: A, provider: env, key: B}, {name: C, provider: file, key: /d, options: {x: 1}}]').secrets
    ).to.deep.equal([
      { name: 'A', provider: 'env', key: 'B' },
      { name: 'C', provider: 'file', key: '/d', options: { x: '1' } }
    ])
  })
  it('14.4.1 secrets: each needs name, provider, key', () => {
    expect(problemsOf('secrets:\n  - {name: A}')).to.deep.equal([
      { message: "field 'provider': secret provider is required", path: 'secrets[0].provider', line: 2, column: 5 },
      { message: "field 'key': secret key is required", path: 'secrets[0].key', line: 2, column: 5 }
    ])
  })
  it('14.4.1 secrets: duplicate names and unknown providers are refused', () => {
    expect(
      problemsOf('secrets:\n  - {name: A, provider: env, key: B}\n  - {name: A, provider: vault, key: B}').map(
        ({ message, line }) => [message, line]
      )
    ).to.deep.equal([
      ['field \'secrets[1]\': duplicate secret name "A"', 3],
      ["field 'provider': unknown secret provider: vault (must be one of: env, file)", 3]
    ])
    expect(wrong('secrets: [{name: A, provider: env, key: B}, {name: A, provider: file, key: B}]')).to.deep.equal([
      'field \'secrets[1]\': duplicate secret name "A"'
    ])
  })
  it('1.6.3 a duplicate name is told whatever else is wrong with the first of them', () => {
    const pair = 'secrets: [{name: A, provider: vault}, {name: A, provider: env, key: B}]'
    expect(wrong(pair).at(-1)).to.equal('field \'secrets[1]\': duplicate secret name "A"')
  })
  it('14.4.1 secrets: a name must be one that a shell can export', () => {
    expect(problemsOf('secrets:\n  - {name: A-B, provider: env, key: C}')).to.deep.equal([
      {
        message:
          'field \'name\': no shell can export a secret of this name: wanted letters, digits and _, and no digit at the beginning (value: "A-B")',
        path: 'secrets[0].name',
        line: 2,
        column: 12
      }
    ])
    for (const name of ['1A', 'é', 'a.b', 'SECONDS', '_', '__proto__x.y'])
      expect(wrong(`secrets: [{name: ${name}, provider: env, key: C}]`), name).to.have.length(1)
  })
  it('workerSelector: map string to string', () => {
    expect(read('workerSelector: {gpu: true, zone: a}').workerSelector).to.deep.equal({ gpu: 'true', zone: 'a' })
    expect(wrong('workerSelector: {a: [b]}')).to.deep.equal([`field 'a': must be a string (value: ["b"])`])
  })
  it('registryAuths: map from registry host to {username, password}, to {auth}, or to a string', () => {
    expect(
      read('registryAuths: {ghcr.io: {username: u, password: p}, b.io: {auth: x}, "localhost:5000": dTpw}')
        .registryAuths
    ).to.deep.equal({
      'ghcr.io': { username: 'u', password: 'p' },
      'b.io': { auth: 'x' },
      'localhost:5000': { auth: 'dTpw' }
    })
  })
  it('10.2.31 registryAuths: text form, a whole docker configuration', () => {
    expect(read(`registryAuths: '{"auths": {}}'`).registryAuths).to.equal('{"auths": {}}')
    for (const other of ['[a]', '5', 'true']) expect(wrong(`registryAuths: ${other}`), other).to.have.length(1)
  })
  it('ssh: {user, host, port, key, strictHostKey, knownHostFile}; port 22 and strictHostKey true by default', () => {
    expect(
      read('ssh: {user: u, host: h, port: 2222, key: ~/k, strictHostKey: false, knownHostFile: /f, password: p}').ssh
    ).to.deep.equal({
      user: 'u',
      host: 'h',
      port: '2222',
      key: '~/k',
      password: 'p',
      strictHostKey: false,
      knownHostFile: '/f'
    })
    expect(read('ssh: {host: h}').ssh).to.deep.equal({ user: '', host: 'h', port: '22', strictHostKey: true })
    expect(wrong('ssh: {user: u}')).to.deep.equal(["field 'host': ssh host is required"])
  })
  it('1.6 ssh: ip is another name of host, and wins', () => {
    expect(read('ssh: {host: h, ip: 10.0.0.1}').ssh?.host).to.equal('10.0.0.1')
  })
  it('otel: {enabled, endpoint, headers, insecure, timeout, resource}; unknown keys are ignored', () => {
    expect(
      read(
        'otel: {enabled: true, endpoint: "a:1", headers: {k: v}, insecure: true, timeout: 1m30s, resource: {a: 1}, x: y}'
      ).otel
    ).to.deep.equal({
      enabled: true,
      endpoint: 'a:1',
      headers: { k: 'v' },
      insecure: true,
      timeoutMs: 90_000,
      resource: { a: '1' }
    })
    expect(read('otel: {}').otel).to.deep.equal({
      enabled: false,
      endpoint: '',
      headers: {},
      insecure: false,
      timeoutMs: 10_000,
      resource: {}
    })
  })
  it('1.9 otel.timeout is a duration text', () => {
    const timeouts = ['500ms', '5s', '1.5s', '2h', '7'].map((text) => read(`otel: {timeout: ${text}}`).otel?.timeoutMs)
    expect(timeouts).to.deep.equal([500, 5000, 1500, 7_200_000, 7000])
    for (const text of ['soon', '""', '-1s', '5 s']) expect(wrong(`otel: {timeout: ${text}}`), text).to.have.length(1)
  })
  it('runConfig: {disableParamEdit, disableRunIdEdit}', () => {
    expect(read('runConfig: {disableRunIdEdit: true}').runConfig).to.deep.equal({
      disableParamEdit: false,
      disableRunIdEdit: true
    })
    expect(wrong('runConfig: {disableEdit: true}')).to.have.length(1)
  })
  it('1.9 maskEnv: accepted, ignored', () => {
    expect(read('maskEnv: {disable: true, safelist: [A]}')).not.to.have.property('maskEnv')
  })
  it('13.5.3 onInterrupt: resume (default), fail, rerun', () => {
    expect(['{}', 'onInterrupt: fail', 'onInterrupt: rerun'].map((text) => read(text).onInterrupt)).to.deep.equal([
      ...['resume', 'fail', 'rerun']
    ])
    expect(wrong('onInterrupt: retry')).to.deep.equal([
      "field 'onInterrupt': invalid onInterrupt: retry (must be one of: resume, fail, rerun)"
    ])
  })
})

/** The keys of "DAG-level container keys" and rules 10.2.20-27. */
describe('reader › container (definition-format, execution-semantics 10.2)', () => {
  const containerOf = (keys: string) => read(`container: {image: i, ${keys}}`).container
  const wrongWith = (keys: string) => wrong(`container: {image: i, ${keys}}`)

  it('10.2.20 image required', () => {
    expect(wrong('container: {env: [A=b]}')).to.deep.equal([
      "field 'image': image is required when container is specified"
    ])
  })
  it('defaults', () => {
    expect(read('container: {image: i}').container).to.deep.equal({
      image: 'i',
      pull: 'missing',
      env: [],
      volumes: [],
      ports: [],
      keepContainer: false,
      startup: 'keepalive',
      command: [],
      waitFor: 'running'
    })
  })
  it('env: list K=V or map', () => {
    const expected = [{ key: 'A', value: 'b' }]
    expect([containerOf('env: [A=b]')?.env, containerOf('env: {A: b}')?.env]).to.deep.equal([expected, expected])
  })
  it('10.2.25 volumes: source:target with :ro or :rw, else invalid volume format', () => {
    const right = ['/a:/b', './a:/b:ro', '.:/b', '~/a:/b:rw', 'cache:/b', '${DIR}:/b', '${ALL}']
    expect(containerOf(`volumes: ${JSON.stringify(right)}`)?.volumes).to.deep.equal(right)
    for (const text of ['/a', 'a:b:c:d', '/a:/b:rx', ':/b', 'a b:/c']) {
      expect(wrongWith(`volumes: ["${text}"]`)[0], text).to.contain('invalid volume format')
    }
  })
  it('10.2.26 ports: container port, host port and address, protocol', () => {
    const right = ['80', '8080:80', '127.0.0.1:8080:80', '53/udp', '0.0.0.0:53:53/udp', '9/sctp', '${PORT}:80']
    expect(containerOf(`ports: ${JSON.stringify(right)}`)?.ports).to.deep.equal(right)
    for (const text of ['http', '80/x', '1:2:3', '']) {
      expect(wrongWith(`ports: ["${text}"]`)[0], text).to.contain('invalid port format')
    }
  })
  it('keepContainer, user, platform, network, name', () => {
    expect(containerOf('keepContainer: true, user: "1:2", platform: linux/arm64, network: host, name: n')).to.include({
      keepContainer: true,
      user: '1:2',
      platform: 'linux/arm64',
      network: 'host',
      name: 'n'
    })
  })
  it('10.2.21 startup: keepalive, entrypoint or command; command needs non-empty command', () => {
    expect(containerOf('startup: entrypoint')?.startup).to.equal('entrypoint')
    expect(containerOf('startup: command, command: [a, b]')).to.deep.include({
      startup: 'command',
      command: ['a', 'b']
    })
    expect(wrongWith('startup: command')).to.deep.equal([
      "field 'command': startup 'command' requires non-empty command array"
    ])
    expect(wrongWith('startup: later')[0]).to.contain('invalid startup mode: later')
  })
  it('10.2.22 waitFor: running or healthy', () => {
    expect(containerOf('waitFor: healthy')?.waitFor).to.equal('healthy')
    expect(wrongWith('waitFor: dead')).to.have.length(1)
  })
  it('logPattern: a regular expression, checked at load', () => {
    expect(containerOf('logPattern: "ready.*"')?.logPattern).to.equal('ready.*')
    expect(wrongWith('logPattern: "("')[0]).to.contain('invalid regular expression')
  })
  it('10.2.27 restartPolicy: no, always, unless-stopped, else error', () => {
    expect(containerOf('restartPolicy: "no"')?.restartPolicy).to.equal('no')
    expect(wrongWith('restartPolicy: on-failure')).to.have.length(1)
  })
  it('1.6 pullPolicy before pull, workingDir before workDir; 10.2.8 true = always, false = never', () => {
    expect(containerOf('pull: never, pullPolicy: always')?.pull).to.equal('always')
    expect(['true', 'false', '"true"', 'missing'].map((text) => containerOf(`pull: ${text}`)?.pull)).to.deep.equal([
      ...['always', 'never', 'always', 'missing']
    ])
    expect(containerOf('workDir: /a')?.workingDir).to.equal('/a')
    expect(containerOf('workDir: /a, workingDir: /b')?.workingDir).to.equal('/b')
    expect(wrongWith('pull: sometimes')).to.have.length(1)
  })
  it('10 container and ssh are exclusive', () => {
    expect(wrong('container: {image: i}\nssh: {host: h}')).to.deep.equal([
      "field 'ssh': container and ssh are exclusive"
    ])
  })
  it('10 a step without executor runs in the container, or over ssh; an explicit shell escapes both', () => {
    const types = (around: string) =>
      read(`${around}\nsteps: [a, {command: b, executor: shell}, {call: kid}]`).steps.map(
        ({ executor }) => executor.type
      )
    expect(types('container: {image: i}')).to.deep.equal(['docker', 'shell', 'dag'])
    expect(types('ssh: {host: h}')).to.deep.equal(['ssh', 'shell', 'dag'])
    expect(types('type: chain')).to.deep.equal(['shell', 'shell', 'dag'])
  })
})
