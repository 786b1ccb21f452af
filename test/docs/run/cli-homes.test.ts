/** docs/cli.md: the commands that check definitions and look after a home do what their sections say, as they stand there. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { RECORDED } from '../../import/dagu-home.ts'
import { commandsOf, SECTIONS, type Sections } from '../../support/docs/cli-page.ts'
import { type EtlHome, etlHome } from '../../support/docs/etl-home.ts'
import type { PastingOptions } from '../../support/docs/pasting.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'
import { eventually } from '../../support/waiting.ts'

describe('docs/cli.md › homes', function () {
  this.timeout(120_000)
  let home: EtlHome
  /** A target of `notify` that wants nothing. */
  let target: Server
  before(async () => {
    target = createServer((request, response) => {
      request.resume()
      response.writeHead(410).end()
    })
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
    const { port } = target.address() as AddressInfo
    const notify = `notify: [{name: ops, url: 'http://127.0.0.1:${port}/', events: [run.*]}]`
    home = await etlHome({
      file: `${notify}\naudit: {enabled: true}\n`,
      replaced: [['/var/backups', temporaryFolder()]]
    })
    await home.ask('/dags/etl/start', { dagRunId: 'r1' })
    await eventually('dead letters', async () => {
      const { targets } = await home.ask('/deliveries')
      return targets?.[0]?.dead === 2 || undefined
    })
  })
  after(async () => {
    await home?.server.end()
    target.close()
  })

  async function pasted(title: string, options: PastingOptions = {}, expected = 0): Promise<string> {
    const { code, out } = await home.shell.paste(commandsOf(title)[0], { cwd: home.dags, ...options })
    expect(code, out).to.equal(expected)
    return out
  }
  const written = (name: string) => readFileSync(join(home.dags, name), 'utf8')

  const sections: Sections<'cli-homes'> = {
    async 'troupe dry'() {
      expect(await pasted('troupe dry'))
        .to.contain('nothing is executed')
        .and.contain('DAY=2026-03-01')
    },
    async 'troupe edit'() {
      const environment = { EDITOR: 'sed -i s/extracted/taken/' }
      expect(await pasted('troupe edit', { environment })).to.equal('etl.yaml is saved\n')
      expect(written('etl.yaml')).to.contain('taken $DAY')
    },
    async 'troupe versions'() {
      const out = await pasted('troupe versions')
      expect(out).to.contain('-    command: echo "extracted $DAY"\n').and.contain('+    command: echo "taken $DAY"\n')
    },
    async 'troupe validate'() {
      expect(await pasted('troupe validate')).to.contain('etl.yaml is valid')
    },
    async 'troupe test'() {
      expect(await pasted('troupe test'))
        .to.contain('loads what was extracted')
        .and.match(/coverage\n[\s\S]*3 of 3/)
    },
    async 'troupe schema'() {
      expect(await pasted('troupe schema')).to.equal('')
      const schema = readFileSync(join(PROJECT, 'docs/definition.schema.json'), 'utf8')
      expect(written('definition.schema.json')).to.equal(schema)
    },
    async 'troupe config'() {
      const { settings } = JSON.parse(await pasted('troupe config'))
      expect(settings).to.deep.include({ key: 'home', value: home.folder, source: 'ENGINE_HOME' })
    },
    async 'troupe doctor'() {
      const { findings, ...others } = JSON.parse(await pasted('troupe doctor', {}, 3)) // there are warnings
      expect(others).to.include({ home: home.folder, runs: 1 })
      expect(JSON.stringify(findings)).to.contain('ops of notify are dead letters: it answered 410')
    },
    async 'troupe deliveries'() {
      expect(await pasted('troupe deliveries')).to.match(/ops .*run.succeeded.*410/)
    },
    async 'troupe audit'() {
      expect(await pasted('troupe audit')).to.match(/\d+ entries/)
    },
    async 'troupe backup'() {
      expect(await pasted('troupe backup'))
        .to.contain('1 run, ')
        .and.contain('every entry was read')
    },
    async 'troupe restore'() {
      const other = join(home.folder, 'other')
      const out = await pasted('troupe restore', { environment: { ENGINE_HOME: other } })
      expect(out).to.contain(`${other}: 1 run as of `)
      expect(readFileSync(join(other, 'dags/etl.yaml'), 'utf8')).to.equal(written('etl.yaml'))
    },
    async 'troupe import'() {
      cpSync(RECORDED, join(home.folder, '.dagu'), { recursive: true })
      expect(await pasted('troupe import', {}, 3))
        .to.contain('(nothing was written)')
        .and.contain('parent.yaml: as it is')
      expect(existsSync(join(home.dags, 'parent.yaml'))).to.equal(false)
    },
    async 'troupe completion'() {
      expect(await pasted('troupe completion')).to.equal('')
      const complete = 'source ~/.troupe-completion.bash; complete -p troupe'
      const env = { HOME: home.folder, PATH: process.env.PATH }
      expect(execFileSync('bash', ['-c', complete], { env, encoding: 'utf8' })).to.contain('-F')
    },
    async 'troupe version'() {
      const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
      expect(await pasted('troupe version')).to.equal(`${version}\n`)
    },
    async 'API keys'() {
      await pasted('API keys')
      expect(statSync(join(home.dags, 'ci.key')).size).to.be.greaterThan(20)
      expect(written('ci.key')).to.match(/^troupe_\w+\n$/)
    },
    async 'troupe keys'() {
      expect(await pasted('troupe keys')).to.match(/^ci +ends in (89|90)d .*runner dags=etl-\*,prod/m)
    },
    async 'troupe key'() {
      expect(await pasted('troupe key')).to.match(/^troupe_\w+$/m)
    },
    async 'troupe suspend'() {
      await pasted('troupe suspend')
      expect(await home.ask('/dags/etl')).to.have.property('suspended', true)
    },
    async 'troupe resume'() {
      await pasted('troupe resume')
      expect(await home.ask('/dags/etl')).to.have.property('suspended', false)
    },
    async 'troupe rename'() {
      await pasted('troupe rename')
      expect(existsSync(join(home.dags, 'nightly-etl.yaml'))).to.equal(true)
    },
    async 'troupe delete'() {
      await pasted('troupe delete')
      expect(existsSync(join(home.dags, 'nightly-etl.yaml'))).to.equal(false)
    }
  }
  for (const title of SECTIONS['cli-homes']) it(title, sections[title])
})
