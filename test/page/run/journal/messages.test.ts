/** All messages of a run can be reached. Source: docs/page.md "Charts". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { livePage, runAddress } from '../../../support/page/live-page.ts'
import { eventually } from '../../../support/waiting.ts'

const STEPS = 700
const MOST_ELEMENTS = 1_500

describe('page › the messages of a large run', () => {
  let page: Page
  const { api, visit } = livePage((opened) => {
    page = opened
  })

  it('more than one answer of the API has are there, from the first to the last, and few elements', async () => {
    const steps = Array.from({ length: STEPS }, (_, at) => `  - {name: s${at}, command: "true", depends: []}\n`).join(
      ''
    )
    api.write('many', `type: graph\nmaxActiveSteps: 8\nsteps:\n${steps}`)
    const dagRunId = await api.started('many')
    await api.ended('many', dagRunId)
    const { messages, omitted } = (await api.call('GET', `/dag-runs/many/${dagRunId}/sequence?limit=2000`)).json
    const all = messages.length + omitted
    expect(omitted, 'a second answer is needed').to.be.greaterThan(0)
    await visit(runAddress('many', dagRunId, '?view=messages'))
    await page.getByText(new RegExp(`^${all} messages`)).waitFor()
    const list = page.getByRole('listbox', { name: 'Messages' })
    await list.press('End')
    await list.press('ArrowUp')
    await page.waitForURL(/at=\d+/)
    const last = list.getByRole('option', { selected: true })
    await last.waitFor()
    const latest = Number(/at=(\d+)/.exec(page.url())?.[1])
    expect(latest).to.be.greaterThan(messages.at(-1).seq)
    await list.press('Home')
    await eventually('the first', async () => Number(/at=(\d+)/.exec(page.url())?.[1]) < 5 || undefined)
    expect(await page.locator('*').count()).to.be.below(MOST_ELEMENTS)
  })
})
