/** What is typed stands where it is typed: no key of the page takes it. Source: docs/page.md "Keys". */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { IS_LONG, oneIn } from '../../support/long.ts'
import { livePage, runAddress } from '../../support/page/live-page.ts'
import { codeBelow } from '../../support/tree/tree.ts'

/** All of ASCII that is printed. */
const SIGNS = String.fromCharCode(...Array.from({ length: 95 }, (_, at) => at + 32))
const ASKING = `steps:
  - name: paid
    executor:
      type: signal
      config:
        ask: Has it been paid?
        payloadSchema: {type: object, properties: {reason: {type: string}}}
`
/** Fields of texts that can be written in. */
const FIELDS = ['textarea', 'input:not([type])', 'input[type="text"]', 'input[type="search"]', 'input[type="password"]']
  .map((field) => `${field}:visible:not([readonly], [disabled])`)
  .join(', ')

describe('page › typing', () => {
  let page: Page
  const { api, visit, box, button } = livePage((opened) => {
    page = opened
  })
  const editor = () => page.locator('.cm-content')
  let failed: string
  let asking: string

  before(async () => {
    api.write('asking', ASKING)
    failed = await api.started('failing')
    await api.ended('failing', failed)
    asking = await api.started('asking')
  })

  /** Empties a field and presses the key of each sign. */
  async function typed(field: Locator): Promise<void> {
    await field.focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await page.keyboard.type(SIGNS)
  }
  /** The same within the page, in one turn: a list that is filtered is asked for once, and not at each sign. */
  async function typedAtOnce(field: Locator): Promise<void> {
    await field.focus()
    await page.evaluate(`(() => {
      document.execCommand('selectAll')
      document.execCommand('delete')
      for (const key of ${JSON.stringify(SIGNS)}) {
        const pressed = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, composed: true })
        if (document.activeElement.dispatchEvent(pressed)) document.execCommand('insertText', false, key)
      }
    })()`)
  }
  /** In `make test-long` by a keyboard into the first, which shows that the browser sends the same; what can be edited, and the editor, have it always. */
  async function isTypedInto(fields: Locator): Promise<void> {
    await fields.first().waitFor()
    for (const [at, field] of (await fields.all()).entries()) {
      await (IS_LONG && at === 0 ? typed : typedAtOnce)(field)
      const most = await field.getAttribute('maxlength')
      const wanted = SIGNS.slice(0, Number(most ?? SIGNS.length))
      expect(await field.inputValue(), await field.evaluate(({ outerHTML }) => outerHTML)).to.equal(wanted)
    }
  }
  const dialog = () => page.locator('dialog[open]')

  it('each printable sign stands in the editor, next to a graph that has keys', async () => {
    await visit('#/new-definition')
    await editor().focus()
    await button('Find a step').waitFor()
    // By a key that the editor answers itself: a letter over several lines has Chromium write styles of its own into them, which the policy refuses.
    const emptied = async () => {
      await page.keyboard.press('Control+a')
      await page.keyboard.press('Delete')
    }
    // Backwards: a bracket that the editor closes comes after the closing one that is typed.
    const signs = [...SIGNS].reverse()
    await emptied()
    await page.keyboard.type(signs.join(''))
    const text = ((await editor().textContent()) ?? '').replaceAll('\u00a0', ' ')
    let at = 0
    for (const sign of text) if (sign === signs[at]) at++
    expect(signs.slice(at), `typed, but not in ${text}`).to.deep.equal([])
    await emptied()
    await page.keyboard.type('# fetch a/b')
    expect((await editor().textContent()) ?? '').to.equal('# fetch a/b')
  })

  for (const [view, hash] of oneIn<readonly [string, () => string]>(2, [
    ['the list of runs', () => '#/runs'],
    ['the list of definitions', () => '#/definitions'],
    ['the steps of a run', () => runAddress('failing', failed, '?view=steps')],
    ['the log of a step, next to a graph', () => runAddress('failing', failed, '?step=breaks&side=err')],
    ['the answer to a step that waits', () => runAddress('asking', asking, '?step=paid')]
  ]))
    it(`and in each field of ${view}`, async () => {
      await visit(hash())
      await isTypedInto(page.locator('main').locator(FIELDS))
    })
  it('and in the fields of dialogs, of the palette and of the search of a graph', async () => {
    await visit('#/definitions/report')
    await button('Start').first().click()
    await isTypedInto(dialog().locator(FIELDS))
    await visit('#/new-definition')
    await editor().focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('\ngroup: x')
    await page.keyboard.press('Control+s')
    await isTypedInto(dialog().locator(FIELDS))
    await visit(runAddress('failing', failed))
    await box('breaks').waitFor()
    await page.keyboard.press('Control+k')
    await isTypedInto(dialog().locator(FIELDS))
    await page.reload()
    await box('breaks').waitFor()
    await page.keyboard.press('f')
    await isTypedInto(page.getByPlaceholder('Find a step'))
  })
  it('and in a field of a shadow root, and in any text that can be edited', async () => {
    await visit(runAddress('failing', failed))
    await box('breaks').waitFor()
    await page.evaluate(`(() => {
      const host = document.querySelector('main').appendChild(document.createElement('div'))
      host.attachShadow({ mode: 'open' }).innerHTML = '<input placeholder="shadow"><p contenteditable id="text"><b>x</b></p>'
    })()`)
    const field = page.getByPlaceholder('shadow')
    await typed(field)
    expect(await field.inputValue()).to.equal(SIGNS)
    const text = page.locator('#text')
    await typed(text)
    expect(((await text.textContent()) ?? '').replaceAll('\u00a0', ' ')).to.equal(SIGNS)
  })
  it('a sign that is being composed is no key: the panel of a step stays open', async () => {
    await visit(runAddress('asking', asking, '?step=paid'))
    const field = page.getByLabel('reason')
    await field.fill('so far')
    await field.press('Escape')
    expect(await field.inputValue()).to.equal('so far')
    await page.getByRole('heading', { name: 'paid', exact: true }).focus()
    await page.evaluate(
      `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true }))`
    )
    expect(await field.inputValue()).to.equal('so far')
  })
  it('no other file listens for keys of the whole page', () => {
    const listening = codeBelow(['src/page']).filter((path) =>
      /addEventListener\('key/.test(readFileSync(path, 'utf8'))
    )
    expect(listening).to.deep.equal(['src/page/keys.ts'])
  })
})
