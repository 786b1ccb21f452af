/** What docs/notifications.md says of webhooks is so: its configuration is read, its snippet verifies, its tables are complete. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { verdictOf } from '../../machines/policy/delivery.ts'
import { NOTICES } from '../../machines/policy/notices.ts'
import { signedHeaders } from '../../src/actors/notify/post.ts'
import { readConfig } from '../../src/config.ts'
import { temporaryFolder } from '../support/homes.ts'
import { PROJECT } from '../support/project.ts'

const page = await readFile(join(PROJECT, 'docs/notifications.md'), 'utf8')
const [, webhooks = ''] = page.split(/^## Webhooks$/m)
const sectionOf = (title: string) => webhooks.split(new RegExp(`^### ${title}$`, 'm'))[1]?.split(/^### /m)[0] ?? ''
const block = (language: string) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(webhooks)?.[1] ?? ''
const firstCells = (section: string) =>
  [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)
  )

describe('docs/notifications.md', () => {
  it('its configuration is read without a warning', () => {
    const home = temporaryFolder()
    writeFileSync(join(home, 'config.yaml'), block(''), { mode: 0o600 })
    writeFileSync(join(home, 'audit.key'), 'a secret of enough bytes\n', { mode: 0o600 })
    const variables = { HOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', AUDIT_TOKEN: 'sesame' }
    const { notify, warnings, publicUrl } = readConfig({ home }, variables)
    expect(warnings).to.deep.equal([])
    expect(publicUrl).to.equal('https://troupe.example.com')
    expect(notify.map(({ name, events }) => [name, events.length])).to.deep.equal([
      ['ops', 5],
      ['audit.example.com', NOTICES.length]
    ])
  })

  it('its snippet tells a genuine request from others: another secret, another body, an old one, none', async () => {
    const folder = temporaryFolder()
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'receiver.mjs')
    expect(block('js').trim().split('\n').length).to.be.at.most(14)
    writeFileSync(file, block('js'))
    const { isGenuine } = await import(pathToFileURL(file).href)
    for (const secret of ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'a secret of enough bytes']) {
      const headers = signedHeaders('id', Date.now(), '{"a":"ä"}', ['another one of enough bytes', secret])
      expect(isGenuine(headers, '{"a":"ä"}', secret)).to.equal(true)
      expect(isGenuine(headers, '{"a":"b"}', secret)).to.equal(false)
      expect(isGenuine(headers, '{"a":"ä"}', 'a third one of enough bytes')).to.equal(false)
      expect(isGenuine({ ...headers, 'webhook-id': 'other' }, '{"a":"ä"}', secret)).to.equal(false)
      expect(isGenuine(signedHeaders('id', Date.now() - 600_000, '{}', [secret]), '{}', secret)).to.equal(false)
    }
    expect(isGenuine({}, '{}', 'a secret of enough bytes')).to.equal(false)
  })

  it('its tables have every event, every member of a target, and every answer that is final', () => {
    expect(firstCells(sectionOf('Events')).sort()).to.deep.equal([...NOTICES].sort())
    const problems: string[] = []
    try {
      readConfig({ home: '/nowhere', settings: { notify: [{ nothing: 1 }] } }, {})
    } catch (error) {
      problems.push(...(error as { details: { errors: string[] } }).details.errors)
    }
    const [, members = ''] = /unknown member nothing, wanted (.*)$/.exec(problems[0] ?? '') ?? []
    expect(firstCells(sectionOf('Targets')).sort()).to.deep.equal(members.split(', ').sort())
    const final = Array.from({ length: 500 }, (_, at) => at + 100).filter(
      (status) => verdictOf({ status }) === 'refused'
    )
    expect(sectionOf('When a target does not accept')).to.contain(`| ${final.join(', ')} |`)
  })

  it('its event is JSON, of a type that there is', () => {
    const { type } = JSON.parse(block('json'))
    expect(NOTICES.map((notice) => `troupe.${notice}.v1`)).to.include(type)
  })
})
