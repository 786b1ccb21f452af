/** A step that waits, answered on the page. Source: embedding 2.5; docs/executors/signal.md. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { seriousFindings } from '../support/page/browser.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'

const ORDER = `type: graph
steps:
  - name: paid
    executor:
      type: signal
      config:
        ask: Has it been paid?
        payloadSchema:
          type: object
          required: [amount]
          properties:
            amount: {type: number, minimum: 1}
            currency: {enum: [EUR, USD]}
            gift: {type: boolean}
  - name: ship
    depends: paid
    executor: {type: approval, config: {ask: "Ship it?"}}
`

describe('page › a step that waits', () => {
  let page: Page
  const { api, visit, is, button } = livePage((opened) => {
    page = opened
  })

  it('has a form made of its schema, and buttons to approve and refuse; what is refused is said in words, and who did what is shown', async () => {
    api.write('order', ORDER)
    const dagRunId = await api.started('order')
    await visit(runAddress('order', dagRunId, '?step=paid'))
    await page.getByText('Has it been paid?').first().waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await page.getByLabel('amount (required)').fill('0')
    await button('Send signal').click()
    await page.getByText('/amount: must be >= 1').first().waitFor()
    await page.getByLabel('amount (required)').fill('3')
    await page.getByLabel('currency').selectOption('USD')
    await button('Send signal').click()
    await is('paid', 'succeeded')
    await page.getByText('"currency":"USD"').first().waitFor()
    await visit(runAddress('order', dagRunId, '?step=ship'))
    await page.getByLabel('Note').fill('too dear')
    await button('Refuse').click()
    await is('ship', 'failed')
    await page.getByText('refused: too dear').first().waitFor()
    const { nodes } = await api.ended('order', dagRunId)
    expect(JSON.parse(nodes[0].given.payload)).to.deep.equal({ amount: 3, currency: 'USD', gift: false })
    expect(JSON.parse(nodes[1].given.payload)).to.deep.equal({ approved: false, note: 'too dear' })
  })
})
