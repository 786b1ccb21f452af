/** docs/tutorial.md: everything that it shows is done, from the first line to the last, and what it promises happens. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type RunningServer, runningServer } from '../support/cli/program.ts'
import { fencesIn } from '../support/docs/fences.ts'
import { type Shell, shellIn } from '../support/docs/pasting.ts'
import { PROJECT } from '../support/project.ts'
import { eventually } from '../support/waiting.ts'

const page = readFileSync(join(PROJECT, 'docs/tutorial.md'), 'utf8')
const SERVER = 'troupe start-all --dags ~/shop/flows\n'

describe('docs/tutorial.md', function () {
  this.timeout(120_000)
  let server: RunningServer
  let address = ''
  let shop: string
  let shell: Shell
  const written = (name: string) => readFileSync(join(shop, name), 'utf8')

  before(async () => {
    server = await runningServer({}, { argv: ['--port', '0', '--dags', 'shop/flows'] })
    shop = join(server.folder, 'shop')
    for (const folder of ['flows', 'data']) mkdirSync(join(shop, folder), { recursive: true })
    address = server.address
    shell = shellIn(server.folder, [['http://127.0.0.1:8080', address]], { ENGINE_PORT: new URL(address).port })
  })
  after(() => server?.end())

  /** What a section promises beside exit codes, with all that its blocks have printed. */
  const PROMISES: Record<string, (out: string) => unknown> = {
    'Write it': (out) => expect(out).to.contain('count').and.contain('report'),
    'Run it': (out) => {
      expect(out).to.contain('3 visits on 2026-03-01').and.contain('succeeded')
      expect(out).to.contain(address)
    },
    'Let it fail': (out) => {
      expect(out).to.contain('data/2026-03-02.log: No such file or directory').and.contain('failed')
      expect(() => written('data/2026-03-02.txt')).to.throw()
    },
    'Repair it': (out) => expect(out).to.contain('1 visits on 2026-03-02'),
    'Let it repair itself': async () => {
      await eventually('the late day', () => {
        try {
          return written('data/2026-03-03.txt') === '2 visits on 2026-03-03\n'
        } catch {
          return false
        }
      })
      expect(() => written('data/alarm.txt')).to.throw()
    },
    'Test it': (out) => expect(out).to.contain('says so when there are none').and.not.contain('not ok'),
    'Put it on a schedule': (out) => expect(out).to.match(/T0?6:00:00/),
    'Watch it': (out) => expect(out).to.contain('healthy').and.contain('engine_dag_runs_total{status="succeeded"}')
  }

  const [beginning = '', ...sections] = page.split(/^## /m)
  for (const section of [`Before\n${beginning}`, ...sections]) {
    const [title = ''] = section.split('\n', 1)
    it(title, async () => {
      let out = ''
      for (const { language, rest, text, line } of fencesIn('', section)) {
        if (language === 'yaml') {
          const before = section.split('\n').slice(0, line).join('\n')
          const name = [...before.matchAll(/as\s`(\S+)`/g)].at(-1)?.[1] ?? ''
          expect(name).to.match(/^flows\//)
          writeFileSync(join(shop, name), text)
        }
        if (language !== 'sh') continue
        const found = await shell.paste(text.replace(SERVER, ''), { cwd: shop })
        expect(found.code === 0, `${text}${found.out}`).to.equal(rest !== 'fails')
        out += found.out
      }
      await PROMISES[title]?.(out)
    })
  }

  it('has the sections that something is promised of, and starts the server as it says', () => {
    const titles = sections.map((section) => section.split('\n', 1)[0])
    expect(titles).to.include.members(Object.keys(PROMISES))
    expect(page).to.contain(SERVER)
  })
})
