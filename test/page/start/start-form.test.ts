/** The form for a start: a field for each parameter, as the schema of the definition has it. Source: docs/page.md "Starting". */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../../support/long.ts'
import { seriousFindings } from '../../support/page/browser.ts'
import { livePage, runAddress } from '../../support/page/live-page.ts'
import { eventually } from '../../support/waiting.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    ENV: { type: 'string', enum: ['test', 'staging', 'live'], description: 'Where it runs' },
    LIMIT: { type: 'integer', title: 'Rows at most' },
    DRY: { type: 'boolean' }
  }
}

describe('page › the form for a start', () => {
  let page: Page
  const { api, visit, button, runIs } = livePage((opened) => {
    page = opened
  })
  before(() => {
    api.write(
      'typed',
      'params: {schema: typed.json, values: {ENV: test, LIMIT: 10, DRY: "false", NOTE: hello}}\nsteps: ["test $ENV != live"]\n'
    )
    writeFileSync(join(api.engine.config.dagsDir, 'typed.json'), JSON.stringify(SCHEMA))
    api.write('broken-schema', 'params: {schema: not-there.json, values: {A: 1}}\nsteps: ["true"]\n')
    api.write('locked', 'runConfig: {disableParamEdit: true}\nparams: A=1\nsteps: ["true"]\n')
  })
  const dialog = () => page.getByRole('dialog')
  const field = (label: string | RegExp) => dialog().getByLabel(label)
  const open = async (name: string) => {
    await visit(`#/definitions/${name}`)
    await button('Start').click()
    await dialog().waitFor()
  }
  const paramsOfRun = async (name: string): Promise<string> => {
    await page.waitForURL(new RegExp(`#/runs/${name}/`))
    const id = decodeURIComponent(new URL(page.url()).hash.split('/')[3]?.split('?')[0] ?? '')
    return (await api.ended(name, id)).params
  }

  it('an enum is a choice, a number a number, a boolean a box; what is not changed is not sent', async () => {
    await open('typed')
    expect(await field('ENV').evaluate((input) => input.tagName)).to.equal('SELECT')
    expect(await field('ENV').locator('option').allTextContents()).to.deep.equal(['test', 'staging', 'live'])
    expect(await field('Rows at most').getAttribute('type')).to.equal('number')
    expect(await field('DRY').getAttribute('type')).to.equal('checkbox')
    expect(await field('NOTE').inputValue()).to.equal('hello')
    await dialog().getByText('Where it runs').waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await field('ENV').selectOption('staging')
    await field('DRY').check()
    await field(/^Further/).fill('MORE="two words"')
    await dialog().getByText('Copy as curl').click()
    const line = await dialog().locator('.curl').textContent()
    expect(line).to.contain('curl -X POST').and.contain('/api/v2/dags/typed/start').and.not.contain('LIMIT')
    await dialog().getByRole('button', { name: 'Start' }).click()
    expect(await paramsOfRun('typed')).to.equal('ENV=staging LIMIT=10 DRY=true NOTE=hello MORE=two words')
  })
  itLong('a dry run says whether a start would do, and starts nothing', async () => {
    await open('typed')
    const count = async () => (await api.get('/dag-runs/typed')).dagRuns.length
    const before = await count()
    await button('Dry run').click()
    await dialog().getByText('Nothing is wrong: the run would start.').waitFor()
    await field('Rows at most').fill('1.5')
    await button('Dry run').click()
    await dialog()
      .getByText(/parameter validation failed: \/LIMIT/)
      .waitFor()
    expect(await count()).to.equal(before)
  })
  itLong('“As the last run had” fills in what the last run was started with', async () => {
    api.write('again', 'params: "A=1 B=2"\nsteps: ["true"]\n')
    await api.ended('again', await api.started('again', { params: 'A=seven EXTRA="a b"' }))
    await open('again')
    expect(await field('A').first().inputValue()).to.equal('1')
    await button('As the last run had').click()
    await eventually(
      'the values of the last run',
      async () => (await field(/^A$/).inputValue()) === 'seven' || undefined
    )
    expect(await field(/^Further/).inputValue()).to.equal('EXTRA="a b"')
    await dialog().getByRole('button', { name: 'Start' }).click()
    expect(await paramsOfRun('again')).to.equal('A=seven B=2 EXTRA=a b')
  })
  it('“Rerun with…” of a failed run has its parameters filled in, and changes only what is changed', async () => {
    const dagRunId = await api.started('typed', { params: 'ENV=live LIMIT=3' })
    await api.ended('typed', dagRunId)
    await visit(runAddress('typed', dagRunId))
    await runIs('failed')
    await button('Rerun with…').click()
    expect(await field('ENV').inputValue()).to.equal('live')
    expect(await field('Rows at most').inputValue()).to.equal('3')
    expect(await seriousFindings(page)).to.deep.equal([])
    await field('ENV').selectOption('test')
    await dialog().getByRole('button', { name: 'Rerun' }).click()
    await page.waitForURL((url) => !url.href.includes(dagRunId))
    await runIs('succeeded')
    expect(await paramsOfRun('typed')).to.equal('ENV=test LIMIT=3 DRY=false NOTE=hello')
  })
  itLong('without its schema a form has texts, and says why; locked parameters cannot be changed', async () => {
    await open('broken-schema')
    await dialog()
      .getByText(/Without the schema of the parameters/)
      .waitFor()
    expect(await field(/^A$/).getAttribute('type')).to.equal('text')
    await open('locked')
    await field(/^A$/).and(page.locator(':disabled')).waitFor()
  })

  it('a run that waits in its queue may be given a time and a priority; its facts and the queue have them, a dry run says what holds it', async () => {
    await open('typed')
    await field(/^Wait in queue/).check()
    await field('Not before').fill('+2h')
    await field('Priority').fill('7')
    await dialog().getByRole('button', { name: 'Dry run' }).click()
    await dialog().getByText('Nothing is wrong: the run would wait: its time has not come.').waitFor()
    await dialog().getByRole('button', { name: 'Enqueue' }).click()
    await page.waitForURL(/#\/runs\/typed\//)
    await page.getByText('Not before').first().waitFor()
    await page.getByText('Priority').first().waitFor()
    await visit('#/queues')
    await page.getByText(/1 of 1, priority 7, not before/).waitFor()
    for (const run of api.engine.runs({ status: ['queued'] })) await api.engine.dequeue(run)
  })
})
