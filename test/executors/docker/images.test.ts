/** Images of docker steps: when they are pulled, and with which credentials. Source: execution-semantics 10.2.8, 10.2.30-10.2.33. */
import { expect } from 'chai'
import type { Execution } from '../../../src/executors/executor.ts'
import { IMAGE, registryService } from '../../support/executors/docker.ts'
import { config, dockerSteps } from '../../support/executors/docker-steps.ts'

describe('docker executor', () => {
  const { service, bench, open } = dockerSteps()

  describe('images', () => {
    const registry = registryService()
    let image = ''
    const login = { username: 'alice', password: 's3cret' }
    const tag = (source: string) => service.client.getImage(source).tag({ repo: image.replace(/:1$/, ''), tag: '1' })
    async function push() {
      const authconfig = { ...login, serveraddress: registry.address }
      const pushed = await service.client.getImage(image).push({ authconfig })
      await new Promise((resolve, reject) =>
        service.client.modem.followProgress(pushed, (error) => (error ? reject(error) : resolve(undefined)))
      )
    }
    before(async () => {
      image = `${registry.address}/private/box:1`
      await tag(IMAGE)
      await push()
    })
    beforeEach(() =>
      service.client
        .getImage(image)
        .remove({ force: true })
        .catch(() => {})
    )
    const pulled = (
      auths?: NonNullable<Execution['container']>['registryAuths'],
      more: Execution['config'] = {},
      words = ['true']
    ) =>
      bench.run({
        config: config({ image, ...more }),
        container: { labels: {}, base: '/', ...(auths === undefined ? {} : { registryAuths: auths }) },
        words
      })

    it('10.2.8: never does not pull; missing does, with the credentials of registryAuths (10.2.30)', async () => {
      const never = await pulled({ [registry.address]: login }, { pull: 'never' })
      expect(never).to.include({ exitCode: 1 })
      expect(never.err).to.match(/no such image/i)
      expect((await pulled({ [registry.address]: login })).err).to.equal('')
      expect(await pulled(undefined, { pull: 'missing' }), 'it is there').to.include({ exitCode: 0 })
      const always = await pulled(undefined, { pull: true })
      expect(always).to.include({ exitCode: 1 })
      expect(always.err).to.include(`the image ${image} cannot be pulled`)
    })
    it('10.2.8: always, or true: what the registry has now; missing: what is here', async () => {
      const container = await service.client.createContainer({ Image: IMAGE, Cmd: ['touch', '/newer'] })
      await container.start()
      await container.wait()
      const { Id: newer } = (await container.commit({})) as { Id: string }
      await container.remove()
      try {
        await tag(newer)
        await push()
        await tag(IMAGE)
        const isNewer = async (pull: string | boolean) =>
          (await pulled({ [registry.address]: login }, { pull }, ['test', '-e', '/newer'])).exitCode
        expect([await isNewer('missing'), await isNewer(true)]).to.deep.equal([1, 0])
        await tag(IMAGE)
        expect([await isNewer('never'), await isNewer('always')]).to.deep.equal([1, 0])
      } finally {
        await tag(IMAGE)
        await push()
        await service.client.getImage(newer).remove({ force: true })
      }
    })
    it('10.2.8: missing compares the platform of local images', async () => {
      expect(await pulled({ [registry.address]: login })).to.include({ exitCode: 0 })
      const { Architecture } = await service.client.getImage(image).inspect()
      expect(await pulled(undefined, { platform: `linux/${Architecture}` })).to.include({ exitCode: 0 })
      expect((await pulled(undefined, { platform: 'linux/s390x' })).err).to.include('cannot be pulled')
    })
    it('10.2.30: wrong credentials are refused, and not said', async () => {
      const run = await pulled({ [registry.address]: { username: 'alice', password: 'wr0ng-one' } })
      expect(run).to.include({ exitCode: 1 })
      expect(run.err).to.include('cannot be pulled').and.not.include('wr0ng-one')
    })
    it('10.2.31, 10.2.33: a Docker configuration as text; DOCKER_AUTH_CONFIG where there is none', async () => {
      const auth = Buffer.from('alice:s3cret').toString('base64')
      const text = JSON.stringify({ auths: { [`https://${registry.address}`]: { auth } } })
      expect((await pulled(text)).err).to.equal('')
      await service.client.getImage(image).remove({ force: true })
      open({ DOCKER_AUTH_CONFIG: text })
      expect((await pulled()).err).to.equal('')
    })
  })
})
