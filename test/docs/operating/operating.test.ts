/** The pages about running a server: what they say of the files beside them is in those files. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { STORE_VERSION } from '../../../src/store/store-version.ts'
import { PROJECT } from '../../support/project.ts'

const textOf = (...path: string[]) => readFileSync(join(PROJECT, ...path), 'utf8')
const page = (name: string) => textOf('docs', 'operating', name)
const section = (text: string, title: string) =>
  new RegExp(`^## ${title}\\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(text)?.[1] ?? ''
/** First cells of the rows of a table, without its head. */
const cells = (text: string) =>
  [...text.matchAll(/^\| (.*?) \|/gm)]
    .map(([, cell = '']) => cell)
    .filter((cell) => !/^-+$/.test(cell))
    .slice(1)

describe('docs/operating/systemd.md', () => {
  const unit = page('troupe.service')
  const settings = new Map([...unit.matchAll(/^([A-Z]\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]))
  const named = (cell: string) =>
    [...cell.matchAll(/`([A-Z]\w+)(?:=([^`]*))?`/g)].map(([, key = '', value]) => ({ key, value }))

  it('says why of lines that are in the unit', () => {
    const rows = cells(section(page('systemd.md'), 'Why each line is there'))
    expect(rows.length).to.be.greaterThan(8)
    for (const { key, value } of rows.filter((row) => !row.startsWith('the other')).flatMap(named)) {
      expect(settings.has(key), key).to.equal(true)
      if (value !== undefined) expect(settings.get(key)).to.equal(value)
    }
  })
  it('says of lines that are not, why not', () => {
    const left = cells(section(page('systemd.md'), 'What was left off, and why')).flatMap(named)
    expect(left.length).to.be.greaterThan(8)
    for (const { key, value } of left)
      expect(settings.get(key) === undefined || (value !== undefined && settings.get(key) !== value), key).to.equal(
        true
      )
  })
})

describe('docs/operating/container.md', () => {
  it('the command without compose is what the compose file says', () => {
    const { services } = parse(page('compose.yaml')) as {
      services: {
        troupe: {
          cap_drop: string[]
          security_opt: string[]
          read_only: boolean
          restart: string
          ports: string[]
          tmpfs: string[]
        }
      }
    }
    const { cap_drop, security_opt, read_only, restart, ports, tmpfs } = services.troupe
    const command = /^docker run --detach[\s\S]*? troupe$/m.exec(page('container.md'))?.[0] ?? ''
    expect(read_only).to.equal(true)
    for (const flag of [
      '--read-only',
      `--cap-drop ${cap_drop}`,
      `--security-opt ${security_opt.map((one) => one.replace(/:true$/, ''))}`,
      `--restart ${restart}`,
      `--publish ${ports}`,
      `--tmpfs ${tmpfs[0]?.replace(/,size=.*/, '')}`
    ])
      expect(command).to.contain(flag)
  })
  it('user, volume, process 1 and base images are those of the Dockerfile', () => {
    const dockerfile = textOf('Dockerfile')
    const text = page('container.md')
    for (const [, name = '', image = ''] of dockerfile.matchAll(/^ARG (\w+)=(\S+)$/gm))
      expect(text).to.contain(name).and.to.contain(`\`${image}\``)
    expect(dockerfile)
      .to.match(/^USER 1000:0$/m)
      .and.to.match(/^VOLUME \/var\/lib\/troupe$/m)
    expect(dockerfile).to.match(/^ENTRYPOINT \["tini", "--", "troupe"\]$/m)
    expect(text).to.contain('USER 1000:0').and.to.contain('| volume | `/var/lib/troupe`')
  })
})

describe('docs/operating/upgrade.md', () => {
  it('its table has the version of the store of every release', () => {
    const versions = new Map<string, string>()
    for (const [, releases = '', version = ''] of page('upgrade.md').matchAll(/^\| ([^|]*) \| (\d+) \| [^|]*\|$/gm))
      for (const release of releases.split(', ')) versions.set(release, version)
    expect(versions.get('this one')).to.equal(`${STORE_VERSION}`)
    for (const release of readdirSync(join(PROJECT, 'fixtures', 'store'))) {
      const { storeVersion }: { storeVersion: number } = JSON.parse(
        textOf('fixtures', 'store', release, 'expected.json')
      )
      if (storeVersion !== STORE_VERSION) expect(versions.get(release), release).to.equal(`${storeVersion}`)
    }
  })
})
