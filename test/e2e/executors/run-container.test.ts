/**
 * The container of a run on a real engine, where a reading of the definition proves little: images with an entrypoint and a health check,
 * volumes, networks, a main process that does not listen, a private registry. Source: execution-semantics 10.2.7, 10.2.20-33.
 */
import { expect } from 'chai'
import { createEngine, type Engine } from '../../../src/index.ts'
import { type Ended, seen } from '../../support/engine/live.ts'
import { dockerService, IMAGE, registryService } from '../../support/executors/docker.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('docker › the container of a run, on a real engine', function () {
  this.timeout(60_000)
  const service = dockerService()
  const registry = registryService()
  const { DOCKER_HOST: dockerHost, HUSH: hush } = process.env
  let engine: Engine
  let count = 0
  before(async () => {
    Object.assign(process.env, { DOCKER_HOST: service.address, HUSH: 's3cret' }) // the server's environment
    engine = await createEngine({ temporary: true, defaultShell: 'sh' })
  })
  after(async () => {
    await engine?.close()
    for (const [name, value] of Object.entries({ DOCKER_HOST: dockerHost, HUSH: hush })) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
  const run = async (spec: string): Promise<Ended> =>
    seen(await engine.result(await engine.start({ spec, name: `run-container-${++count}` })))
  const outOf = async (spec: string, step = 'a'): Promise<string> => {
    const ended = await run(spec)
    expect(ended.status, `${ended.run.error} ${ended.nodes.map(({ node }) => node.error)}`).to.equal('succeeded')
    return ended.out(step)
  }

  describe('an image with an entrypoint and a health check', () => {
    const image = 'local/started:1'
    before(async () => {
      const container = await service.client.createContainer({ Image: IMAGE, Cmd: ['true'] })
      const entrypoint =
        'ENTRYPOINT ["sh", "-c", "echo $0 $@ >/tmp/begun; sleep 2; touch /tmp/well; sleep 600", "entry"]'
      const changes = `${entrypoint}\nCMD ["of", "the", "image"]\nHEALTHCHECK --interval=300ms CMD test -e /tmp/well`
      await container.commit({ repo: 'local/started', tag: '1', changes })
      await container.remove()
    })
    after(() =>
      service.client
        .getImage(image)
        .remove({ force: true })
        .catch(() => {})
    )
    const made = (more: string) =>
      `container: {image: "${image}", ${more}}\nsteps: [{name: a, script: 'cat /tmp/begun; ls /tmp'}]`

    it('10.2.21 entrypoint: the image as it is', async () => {
      expect(await outOf(made('startup: entrypoint'))).to.equal('entry of the image\nbegun\n')
    })
    it('10.2.22 waitFor healthy: no step begins before the health check has passed', async () => {
      expect(await outOf(made('startup: entrypoint, waitFor: healthy'))).to.equal('entry of the image\nbegun\nwell\n')
    })
    it('10.2.21 keepalive and command: an idle process, or this one, and not the entrypoint', async () => {
      const ps = (more: string) =>
        outOf(`container: {image: "${image}", ${more}}\nsteps: [{name: a, command: ps -o args}]`)
      expect(await ps('env: [A=b]'))
        .to.include('while true; do sleep 86400; done')
        .and.not.include('entry')
      expect(await ps('startup: command, command: [sleep, "321"]'))
        .to.include('sleep 321')
        .and.not.include('entry')
    })
    it('10.2.7 a docker step: with a command the entrypoint is emptied, without one it runs', async () => {
      const config = `{type: docker, config: {image: "${image}", autoRemove: true}}`
      expect(await outOf(`steps: [{name: a, executor: ${config}, command: echo plain}]`)).to.equal('plain\n')
      const ended = await run(`steps: [{name: a, executor: ${config}, timeoutSec: 1}]`)
      expect(ended.node('a').exitCode, 'it sleeps').to.equal(124)
    })
  })

  it('10.2.24 a main process that does not listen is killed after 5 s, and the run ends as it did', async () => {
    const begun = performance.now()
    const ended = await run(`
container: {image: ${IMAGE}, startup: command, command: [sh, -c, 'trap "" TERM; while true; do sleep 1; done']}
steps: [{name: a, command: "true"}]
`)
    expect(ended.status).to.equal('succeeded')
    expect(performance.now() - begun).to.be.within(5_000, 30_000)
    expect(await service.labelled(`troupe.run=${ended.run.name}/${ended.run.dagRunId}`)).to.deep.equal([])
  })
  it('10.2.25 a name is a volume of the engine, which outlives the run; a relative source is a bind', async () => {
    const folder = temporaryFolder()
    const volumes = `workingDir: ${folder}\ncontainer: {image: ${IMAGE}, volumes: ["troupe-named:/named", ".:/here"]}`
    try {
      await outOf(`${volumes}\nsteps: [{name: a, script: 'echo kept >/named/file; echo made >/here/made'}]`)
      expect(await outOf(`${volumes}\nsteps: [{name: a, script: 'cat /named/file /here/made'}]`)).to.equal(
        'kept\nmade\n'
      )
    } finally {
      await service.client.getVolume('troupe-named').remove()
    }
  })
  it('10.2.27 network none, and that of another container', async () => {
    const devices = (network: string) =>
      outOf(`container: {image: ${IMAGE}, network: "${network}"}\nsteps: [{name: a, command: ls /sys/class/net}]`)
    expect(await devices('none'))
      .to.include('lo\n')
      .and.not.include('eth0')
    const other = await service.client.createContainer({ Image: IMAGE, Cmd: ['sleep', '600'], Hostname: 'of-other' })
    try {
      await other.start()
      const spec = `container: {image: ${IMAGE}, network: "container:${other.id}"}\nsteps: [{name: a, command: hostname}]`
      expect(await outOf(spec)).to.equal('of-other\n')
    } finally {
      await other.remove({ force: true })
    }
  })
  it('a command in a running container that uses up the memory fails with that reason', async () => {
    const limited = await service.client.createContainer({
      Image: IMAGE,
      name: 'limited',
      Cmd: ['sh', '-c', 'while true; do sleep 60; done'],
      HostConfig: { Memory: 20_971_520, MemorySwap: 20_971_520 }
    })
    try {
      await limited.start()
      const ended = await run(
        'steps: [{name: a, executor: {type: docker, config: {containerName: limited}}, command: tail /dev/zero}]'
      )
      expect(ended.node('a')).to.include({ status: 'failed', exitCode: 137 })
      expect(ended.err('a')).to.include('run out of memory (OOMKilled)')
    } finally {
      await limited.remove({ force: true })
    }
  })
  it('10.2.30 registryAuths of the definition, from a secret: for the container of the run and for docker steps', async () => {
    const image = `${registry.address}/run/box:1`
    await service.client.getImage(IMAGE).tag({ repo: image.replace(/:1$/, ''), tag: '1' })
    const authconfig = { username: 'alice', password: 's3cret', serveraddress: registry.address }
    const pushed = await service.client.getImage(image).push({ authconfig })
    await new Promise((resolve) => service.client.modem.followProgress(pushed, resolve))
    const forget = () => service.client.getImage(image).remove({ force: true })
    await forget()
    const auths = (password: string) => `
secrets: [{name: PASSWORD, provider: env, key: HUSH}]
registryAuths: {"${registry.address}": {username: alice, password: "${password}"}}
`
    const shared = `container: {image: "${image}"}\nsteps: [{name: a, command: echo up}]`
    const refused = await run(`${auths('wr0ng')}${shared}`)
    expect(refused.status).to.equal('failed')
    expect(refused.run.error).to.include(`the image ${image} cannot be pulled`).and.not.include('wr0ng')
    expect(await outOf(`${auths('${PASSWORD}')}${shared}`)).to.equal('up\n')
    await forget()
    const step = `steps: [{name: a, executor: {type: docker, config: {image: "${image}", autoRemove: true}}, command: echo own}]`
    expect(await outOf(`${auths('${PASSWORD}')}${step}`)).to.equal('own\n')
    await forget()
  })
})
