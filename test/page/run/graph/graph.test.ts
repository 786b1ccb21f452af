/** Graphs of any size: texts that can be read, failures in sight, a search, and few elements for a thousand steps. Source: docs/page.md "Graphs". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong, onlyLast } from '../../../support/long.ts'
import { keepPicture, seriousFindings } from '../../../support/page/browser.ts'
import { livePage, runAddress } from '../../../support/page/live-page.ts'
import { eventually } from '../../../support/waiting.ts'

const MOST_ELEMENTS = 1_500
const LEAST_PX = 11
const MANY = 1_000
const RANK = 25

const step = (name: string, depends: readonly string[], command = '"true"') =>
  `  - {name: ${name}, command: ${command}, depends: [${depends.join(', ')}]}\n`
/** 35 steps in a row of ranks; one of the last fails. */
const WIDE = `type: graph\nsteps:\n${Array.from({ length: 35 }, (_, at) =>
  step(`extract-orders-${at}`, at < 3 ? [] : [`extract-orders-${at - 3}`], at === 33 ? 'exit 3' : '"true"')
).join('')}`
const LARGE = `type: graph\nsteps:\n${Array.from({ length: MANY }, (_, at) =>
  step(
    `n${at}`,
    at < RANK ? [] : [`n${at - RANK}`, `n${at - RANK - (at % RANK)}`].filter((it, k, all) => all.indexOf(it) === k),
    at === 0 ? 'exit 1' : '"true"'
  )
).join('')}`

/** Runs in the page: ids of the steps that are all in sight, and of those that are cut off. */
const SIGHT = `(() => {
  const place = document.querySelector('.canvas > svg').getBoundingClientRect()
  const [seen, cut] = [[], []]
  for (const node of document.querySelectorAll('.dag-node')) {
    const { left, right, top, bottom } = node.querySelector('.dag-box').getBoundingClientRect()
    if (right <= place.left || left >= place.right || bottom <= place.top || top >= place.bottom) continue
    const isIn = left > place.left - 1 && right < place.right + 1 && top > place.top - 1 && bottom < place.bottom + 1
    ;(isIn ? seen : cut).push(node.id)
  }
  return { seen, cut }
})()`

describe('page › graphs of any size', () => {
  let page: Page
  const { api, visit, box } = livePage((opened) => {
    page = opened
  })
  const sight = () => page.evaluate<{ seen: string[]; cut: string[] }>(SIGHT)
  let wide: string
  let large: string

  before(async function () {
    this.timeout(120_000)
    api.write('wide', WIDE)
    api.write('large', LARGE)
    wide = await api.started('wide')
    await api.ended('wide', wide)
    large = await api.started('large')
    await api.ended('large', large)
  })

  for (const width of onlyLast([1440, 1024, 390]))
    it(`at ${width} px each text that is shown is at least 11 px high, and the first failure is in sight`, async () => {
      await page.setViewportSize({ width, height: 900 })
      await visit(runAddress('wide', wide))
      const canvas = page.getByRole('group', { name: 'Graph of 35 steps' })
      await box('extract-orders-33').waitFor()
      const sizes = await page.locator('.dag-node text:visible').evaluateAll(heights)
      expect(sizes).not.to.have.length(0)
      expect(Math.min(...sizes)).to.be.at.least(LEAST_PX)
      const [place, failed] = [await canvas.boundingBox(), await box('extract-orders-33').boundingBox()]
      expect(failed?.x).to.be.at.least(place?.x ?? Number.NaN)
      expect((failed?.x ?? 0) + (failed?.width ?? 0)).to.be.at.most((place?.x ?? 0) + (place?.width ?? 0) + 1)
      expect((await sight()).cut, 'steps that are cut off').to.deep.equal([])
      await keepPicture(page, `graph ${width}`)
      // The names alone, when it is smaller.
      for (let press = 0; press < 2; press++) await page.getByRole('button', { name: 'Zoom out' }).click()
      const smaller = await page.locator('.dag-node text:visible').evaluateAll(heights)
      for (const size of smaller) expect(size).to.be.at.least(LEAST_PX)
    })

  it('all of a graph is shown at first as long as its names can be read; a longer one begins with what is running, no step cut off', async () => {
    const chain = (count: number, running: number) =>
      `type: graph\nsteps:\n${Array.from({ length: count }, (_, at) =>
        step(`clean-${at}`, at < 2 ? [] : [`clean-${at - 2}`], at === running ? 'sleep 600' : '"true"')
      ).join('')}`
    api.write('fits', chain(10, -1))
    api.write('longer', chain(40, 24))
    await page.setViewportSize({ width: 1440, height: 900 })
    for (const [name, hash] of [
      ['fits', '#/definitions/fits'],
      ['longer', '#/definitions/longer']
    ] as const) {
      await visit(hash)
      await box('clean-0').waitFor()
      const { seen, cut } = await sight()
      expect(cut, name).to.deep.equal([])
      expect(seen, name).to.include('dag-clean-0')
      if (name === 'fits') expect(seen).to.have.length(10)
    }
    const dagRunId = await api.started('longer')
    await visit(runAddress('longer', dagRunId))
    await page.locator('#dag-clean-24.s-running').waitFor()
    await page.reload()
    await page.locator('#dag-clean-24.s-running').waitFor()
    const { seen, cut } = await sight()
    expect(seen).to.include('dag-clean-24')
    expect(cut).to.deep.equal([])
    await api.call('POST', `/dag-runs/longer/${dagRunId}/stop`)
    await api.ended('longer', dagRunId)
  })

  it('`f` finds steps by some letters; Enter selects one after the other', async () => {
    await visit(runAddress('wide', wide))
    await box('extract-orders-33').waitFor()
    await page.keyboard.press('f')
    await page.keyboard.type('orders-1')
    await page.getByText('11 found').waitFor()
    expect(await page.locator('.dag-node.found').count()).to.equal(11)
    await page.keyboard.press('Enter')
    await page.waitForURL(/step=extract-orders-1(&|$)/)
    await page.keyboard.press('Enter')
    await page.waitForURL(/step=extract-orders-10/)
    expect(await seriousFindings(page)).to.deep.equal([])
    await page.keyboard.press('Escape')
    await page.locator('.dag-node.found').first().waitFor({ state: 'detached' })
  })

  itLong('the field has the focus before the next key can come: who types on at once loses no letter', async () => {
    await visit(runAddress('wide', wide))
    await box('extract-orders-33').waitFor()
    const pressed = `new Promise((done) => {
      document.querySelector('button.finder').click()
      setTimeout(() => done(document.activeElement.placeholder))
    })`
    expect(await page.evaluate(pressed)).to.equal('Find a step')
  })

  it('a thousand steps have few elements: as a graph, from near and far, and as a table', async () => {
    const elements = () => page.evaluate<number>('document.querySelectorAll("*").length')
    await visit(runAddress('large', large))
    await box('n0').waitFor()
    expect(await elements()).to.be.below(MOST_ELEMENTS)
    await page.locator('.minimap').waitFor()
    await keepPicture(page, 'graph large')
    await page.getByRole('button', { name: 'Fit to view' }).click()
    await page.locator('.canvas > svg .overview.s-failed').first().waitFor()
    expect(await elements()).to.be.below(MOST_ELEMENTS)
    await page.getByRole('button', { name: 'Next failure' }).click()
    await box('n0').waitFor()
    await page.getByRole('tab', { name: 'Steps' }).click()
    const table = page.getByRole('region', { name: 'Steps' })
    await table.getByRole('button', { name: 'n0', exact: true }).waitFor()
    expect(await elements()).to.be.below(MOST_ELEMENTS)
    await visit(runAddress('large', large, '?view=steps&step=n777'))
    await table.getByRole('button', { name: 'n777', exact: true }).waitFor()
    expect(await elements()).to.be.below(MOST_ELEMENTS)
  })

  itLong('two fingers zoom, and where there is no pointer the graph says so', async () => {
    await visit(runAddress('wide', wide))
    await box('extract-orders-33').waitFor()
    const hint = page.getByText('Pinch to zoom')
    expect(await hint.isVisible(), 'beside a mouse').to.equal(false)
    const zoom = async () => {
      const transform = await page.locator('.canvas > svg > g').first().getAttribute('transform')
      return Number(/scale\(([\d.]+)\)/.exec(transform ?? '')?.[1])
    }
    const before = await zoom()
    const { x, y } = (await page.getByRole('group', { name: /^Graph/ }).boundingBox()) ?? expect.fail()
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 })
    await cdp.send('Emulation.setEmulatedMedia', { features: [{ name: 'pointer', value: 'coarse' }] })
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart: number) =>
      cdp.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          type === 'touchEnd'
            ? []
            : [
                { x: x + 300 - apart, y: y + 200, id: 1 },
                { x: x + 300 + apart, y: y + 200, id: 2 }
              ]
      })
    await touch('touchStart', 40)
    for (let apart = 50; apart <= 120; apart += 10) await touch('touchMove', apart)
    await touch('touchEnd', 0)
    await eventually('a larger drawing', async () => ((await zoom()) > before * 1.5 ? true : undefined))
    await hint.waitFor()
    await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: false })
  })
})

/** Runs in the page. */
const heights = (all: { getBoundingClientRect(): { height: number } }[]): number[] =>
  all.map((element) => element.getBoundingClientRect().height)
