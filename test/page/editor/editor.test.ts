/** A definition is edited on the page: problems while typing, corrected by one key, saved after a look at what is different. Source: docs/page.md "Editing". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../../support/long.ts'
import { seriousFindings } from '../../support/page/browser.ts'
import { livePage } from '../../support/page/live-page.ts'

const ETL = `type: graph
steps:
  - name: extract
    command: echo extract
  - name: load
    depends: [extract]
    command: echo load
`

describe('page › the editor of a definition', () => {
  let page: Page
  const { api, visit, box, button } = livePage((opened) => {
    page = opened
  })
  beforeEach(() => api.write('etl', ETL))

  const text = () => page.locator('.cm-content')
  const dialog = () => page.getByRole('dialog')
  const said = (words: string | RegExp) => page.getByText(words).first().waitFor()
  const stored = async (name = 'etl'): Promise<string> => (await api.get(`/dags/${name}/spec`)).spec

  async function edit(name = 'etl'): Promise<void> {
    await visit(`#/definitions/${name}/edit`)
    await text().waitFor()
    await said('No problems')
  }
  /** Types at the end of the text; the editor indents. */
  async function append(words: string): Promise<void> {
    await text().press('Control+End')
    await page.keyboard.type(words)
  }

  it('a mistyped name is a problem at its line, and one key makes it what was meant; the graph follows', async () => {
    await edit()
    await box('load').waitFor()
    await append('  - name: report\ncomand: echo report')
    await page.getByRole('button', { name: /^Line 9: .*comand/ }).waitFor()
    await page.locator('.cm-lintRange-error', { hasText: 'comand' }).waitFor()
    await page.keyboard.press('Control+.')
    await said('No problems')
    await page.locator('.cm-line', { hasText: 'command: echo report' }).waitFor()
    await box('report').waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
  })
  itLong('a problem and a step of the graph are found in the text', async () => {
    await edit()
    await append('  - name: odd\ndepends: [nobody]\ncommand: "true"')
    await page.getByRole('button', { name: /^Line 9: .*nobody/ }).click()
    await page.locator('.cm-activeLine', { hasText: 'nobody' }).waitFor()
    await box('extract').click()
    await page.locator('.cm-activeLine', { hasText: 'name: extract' }).waitFor()
  })
  it('names and words of the format are offered, and explained', async () => {
    await edit()
    await append('maxAct')
    await page.getByRole('option', { name: /^maxActiveRuns/ }).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page.keyboard.type('ty')
    await page.getByRole('option', { name: /^type/ }).waitFor()
    await page.getByRole('option', { name: /^type/ }).click()
    await page.getByRole('option', { name: 'graph' }).click()
    await page.locator('.cm-line', { hasText: 'type: graph' }).waitFor()
    await page.getByText('type', { exact: true }).first().hover()
    await page.locator('.cm-told', { hasText: 'Whether each step waits' }).waitFor()
  })

  it('Ctrl-S shows what is different, Enter stores it; then nothing is left to save', async () => {
    await edit()
    await append('tags: [changed]')
    await said('No problems')
    await page.keyboard.press('Control+s')
    await dialog().locator('.cm-changedLine', { hasText: 'tags' }).waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await page.keyboard.press('Enter')
    await said('etl is saved.')
    expect(await stored()).to.equal(`${ETL}tags: [changed]`)
    await page.getByText('Saved', { exact: true }).waitFor()
    await append('\ngroup: again')
    await said('No problems')
    await page.keyboard.press('Control+s')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().waitFor({ state: 'detached' })
    expect(await stored()).to.contain('group: again')
  })
  it('a text with problems is not stored, and the cursor goes to the first of them', async () => {
    await edit()
    await append('  - name: odd\ndepends: [nobody]\ncommand: "true"')
    await page.getByRole('button', { name: /^Line 9/ }).waitFor()
    await text().press('Control+Home')
    await page.keyboard.press('Control+s')
    await said('A definition with problems is not stored.')
    await page.locator('.cm-activeLine', { hasText: 'nobody' }).waitFor()
    expect(await stored()).to.equal(ETL)
  })

  describe('two who edit one definition', () => {
    let other: Page
    const second = async () => {
      other = await page.context().newPage()
      await other.goto(`http://127.0.0.1:${api.port}/#/definitions/etl/edit`)
      await other.locator('.cm-content').waitFor()
    }
    const saved = async (tab: Page, words: string) => {
      await tab.locator('.cm-content').press('Control+End')
      await tab.keyboard.type(words)
      await tab.getByText('No problems').waitFor()
      await tab.keyboard.press('Control+s')
      await tab.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    }

    it('the second to save is told, sees both texts, and may store theirs over the other one', async () => {
      await edit()
      await second()
      await saved(other, 'tags: [theirs]')
      await other.getByText('etl is saved.').waitFor()
      await saved(page, 'tags: [mine]')
      await page.getByRole('heading', { name: 'Somebody has changed etl meanwhile' }).waitFor()
      expect(await stored()).to.contain('theirs')
      expect(await page.locator('.notice.failed').count()).to.equal(0)
      expect(await seriousFindings(page)).to.deep.equal([])
      await dialog().locator('.cm-deletedChunk', { hasText: 'theirs' }).waitFor()
      await dialog().locator('.cm-changedLine', { hasText: 'mine' }).waitFor()
      await dialog().getByRole('button', { name: 'Save mine over it' }).click()
      await said('etl is saved.')
      expect(await stored()).to.equal(`${ETL}tags: [mine]`)
    })
    itLong('or takes the text of the other one; undo brings their own back', async () => {
      await edit()
      await second()
      await saved(other, 'tags: [theirs]')
      await other.getByText('etl is saved.').waitFor()
      await saved(page, 'tags: [mine]')
      await dialog().getByRole('button', { name: 'Take their text' }).click()
      await page.locator('.cm-line', { hasText: 'theirs' }).waitFor()
      await page.getByText('Saved', { exact: true }).waitFor()
      await text().press('Control+z')
      await page.locator('.cm-line', { hasText: 'mine' }).waitFor()
    })
  })

  it('Tab indents; after Escape it leaves the text', async () => {
    await edit()
    await text().press('Control+End')
    await page.keyboard.press('Tab')
    await page.getByText('Not saved; kept in this browser').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement?.id')).to.equal('dag-extract')
    await button('Back to the stored text').click()
    await page.getByText('Saved', { exact: true }).waitFor()
  })
  itLong('says when it cannot be loaded, and is loaded when it can', async () => {
    await page.route(/editor-\w+\.js/, (route) => route.abort())
    await visit('#/definitions/etl/edit')
    await said(/The editor cannot be shown/)
    await page.unroute(/editor-\w+\.js/)
    await button('Try again').click()
    await text().waitFor()
  })
  itLong('a proposal is a button beside the problem, too, for those without a keyboard', async () => {
    await edit()
    await append('  - name: report\ncomand: echo report')
    await button('Change to “command”').click()
    await said('No problems')
    await page.locator('.cm-line', { hasText: 'command: echo report' }).waitFor()
  })
  it('those who may only read see no way to change a definition, and its text is read only', async () => {
    await page.route('**/page/session', (route) => route.fulfill({ json: { name: 'reader', permissions: ['read'] } }))
    await visit('#/definitions/etl')
    await page.getByRole('tab', { name: 'Text' }).waitFor()
    expect(await page.getByText(/^(?:Edit|Duplicate|Rename|Delete)$/).count()).to.equal(0)
    await visit('#/definitions')
    await page.getByRole('link', { name: 'etl' }).waitFor()
    expect(await page.getByText('New definition').count()).to.equal(0)
    await visit('#/definitions/etl/edit')
    await page.getByText('Read only').waitFor()
    await text().focus()
    await page.keyboard.type('x')
    expect(await text().textContent())
      .to.contain('type: graph')
      .and.not.contain('x:')
    expect(await button('Save').count()).to.equal(0)
  })
  itLong('a definition in code is read only, for everybody', async () => {
    await page.route('**/dags/etl/spec', async (route) => {
      const { revision: _, ...answer } = await (await route.fetch()).json()
      await route.fulfill({ json: answer })
    })
    await visit('#/definitions/etl/edit')
    await page.getByText('Read only').waitFor()
    await box('load').waitFor()
    expect(await button('Save').count()).to.equal(0)
  })
  it('is loaded only when it is wanted', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await visit('#/definitions/etl')
    await page.getByRole('link', { name: 'Edit' }).waitFor()
    expect(asked.filter((url) => url.includes('/editor-'))).to.deep.equal([])
  })
})
