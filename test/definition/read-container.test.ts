/** The keys of "DAG-level container keys". Source: definition-format, execution-semantics 10, rules 10.2.20-27. */
import { expect } from 'chai'
import { planOf as read, messagesOf as wrong } from './reading.ts'

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
      'always',
      'never',
      'always',
      'missing'
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
