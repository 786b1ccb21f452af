/** One test per row of the table "DAG-level fields" that is not tested with its own grammar elsewhere: what a run asks of others. Source: definition-format, execution-semantics 1.7, 1.8. */
import { expect } from 'chai'
import { problemsOf, planOf as read, messagesOf as wrong } from './reading.ts'

describe('reader › DAG-level fields (definition-format, execution-semantics 1.7, 1.8)', () => {
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
      ["field 'provider': unknown secret provider: vault (must be one of: env, file, command, host)", 3]
    ])
    expect(wrong('secrets: [{name: A, provider: env, key: B}, {name: A, provider: file, key: B}]')).to.deep.equal([
      'field \'secrets[1]\': duplicate secret name "A"'
    ])
  })
  it('secrets of the provider command have the options cacheSec and timeoutSec; those of host any, besides timeoutSec', () => {
    const options = (provider: string, text: string) =>
      wrong(`secrets: [{name: A, provider: ${provider}, key: k, options: ${text}}]`)
    expect(options('command', '{cacheSec: 60, timeoutSec: 0.5}')).to.deep.equal([])
    expect(options('host', '{field: a, cacheSec: x, timeoutSec: 5}')).to.deep.equal([])
    const found = "field 'options': "
    expect(options('command', '{cache: 60}')).to.deep.equal([
      `${found}unknown option cache of provider command: wanted cacheSec or timeoutSec (value: {"cache":60})`
    ])
    for (const value of ['0', '-1', 'soon', '3601']) expect(options('host', `{timeoutSec: ${value}}`)).to.have.length(1)
    for (const value of ['-1', 'long', '86401']) expect(options('command', `{cacheSec: ${value}}`)).to.have.length(1)
  })
  it('1.6.3 a duplicate name is reported whatever else is wrong with the first of them', () => {
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
    for (const other of ['gpu', '[gpu]', '5', 'true'])
      expect(wrong(`workerSelector: ${other}`), other).to.have.length(1)
  })
  it('workerSelector: a selector that is no map, and a label without a value, are problems with line and column', () => {
    expect(problemsOf('workerSelector: gpu')).to.deep.equal([
      {
        message: `field 'workerSelector': must be a map of strings (value: "gpu")`,
        path: 'workerSelector',
        line: 1,
        column: 17
      }
    ])
    expect(problemsOf('workerSelector:\n  zone: a\n  gpu:')).to.deep.equal([
      { message: `field 'gpu': must be a string (value: null)`, path: 'workerSelector.gpu', line: 3, column: 7 }
    ])
    expect(problemsOf('workerSelector:\n  zone: ""\n  "": gpu')).to.deep.equal([
      {
        message: `field 'zone': must have a value: a worker has no label without one (value: "")`,
        path: 'workerSelector.zone',
        line: 2,
        column: 9
      },
      {
        message: 'must have a name: the label of a worker (value: "gpu")',
        path: 'workerSelector[""]',
        line: 3,
        column: 7
      }
    ])
  })
  it('onWorkerLost: fail (default), requeue, wait; anything else is a problem with line and column', () => {
    expect(['{}', 'onWorkerLost: requeue', 'onWorkerLost: wait'].map((text) => read(text).onWorkerLost)).to.deep.equal([
      undefined,
      'requeue',
      'wait'
    ])
    expect(problemsOf('workerSelector: {a: b}\nonWorkerLost: retry')).to.deep.equal([
      {
        message: "field 'onWorkerLost': invalid onWorkerLost: retry (must be one of: fail, requeue, wait)",
        path: 'onWorkerLost',
        line: 2,
        column: 15
      }
    ])
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
})
