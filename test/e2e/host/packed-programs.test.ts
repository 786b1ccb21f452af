/** The programs of the package as it is published: what they read and start at run time is in it. Source: embedding 5; distribution 0.3. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect } from 'chai'
import { logIn, openPlacing, type Placing } from '../../support/cli/placing.ts'
import { type Hosts, installedHosts } from '../../support/hosts/packed.ts'
import { itLong } from '../../support/long.ts'
import { needsNats } from '../../support/nats.ts'
import { PROJECT } from '../../support/project.ts'

describe('the package', function () {
  this.timeout(60_000)
  let hosts: Hosts
  let troupe: string
  before(async () => {
    hosts = await installedHosts()
    troupe = join(hosts.folder, 'node_modules', 'troupe')
  })

  it('has every file that a module finds beside itself', () => {
    const modules = readdirSync(join(PROJECT, 'dist', 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.js'))
      .map((path) => join('dist', 'src', path))
    const missing = modules.flatMap((module) => {
      const text = readFileSync(join(PROJECT, module), 'utf8')
      const beside = [...text.matchAll(/new URL\('(\.[^']*\.(?!js')[a-z]+)', import\.meta\.url\)/g)]
      return beside
        .map(([, path = '']) => relative(PROJECT, join(PROJECT, dirname(module), path)))
        .filter((path) => !existsSync(join(troupe, path)))
    })
    expect(missing).to.deep.equal([])
  })

  describe('its worker', () => {
    needsNats()
    let placing: Placing
    after(() => placing?.close())

    itLong('runs a step, which a fence watches', async () => {
      placing = await openPlacing({}, join(troupe, 'dist', 'bin', 'troupe.js'))
      placing.worker('wa', ['-l', 'zone=a'])
      await placing.healthy('wa')
      const id = await placing.start(
        'name: packed\nworkerSelector: {zone: a}\nsteps: [{name: one, command: echo it runs}]\n'
      )
      const run = await placing.ended('packed', id)
      expect([run.statusLabel, run.nodes[0]?.error ?? '', logIn(run.nodes[0]?.stdout)]).to.deep.equal([
        'succeeded',
        '',
        'it runs\n'
      ])
    })
  })
})
