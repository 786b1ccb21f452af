/** What holds for all views: one font of three weights, one left edge, the whole window. Source: src/page/README.md, "styles". */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { livePage, runAddress } from '../../support/page/live-page.ts'
import { PROJECT } from '../../support/project.ts'
import { eventually } from '../../support/waiting.ts'

const STYLES = join(PROJECT, 'src/page/styles')
const SIZE = { width: 1440, height: 900 }

describe('page › looks › styles', () => {
  it('sizes of text, weights, corners and colours are named in one file, of which all others are made', () => {
    const found = readdirSync(STYLES)
      .filter((name) => name !== 'tokens.css' && name !== 'font.css')
      .flatMap((name) =>
        readFileSync(join(STYLES, name), 'utf8')
          .split('\n')
          .filter((line) =>
            /(?:font|font-size|font-weight|border-radius): [1-9]|#[0-9a-f]{3,8}\b.*;|\b(?:rgb|hsl)\(/.test(line)
          )
          .map((line) => `${name}: ${line.trim()}`)
      )
    expect(found).to.deep.equal([])
  })
})

describe('page › looks › views', () => {
  let page: Page
  const { api, visit, runIs } = livePage((opened) => {
    page = opened
  })
  let failed = ''
  before(async () => {
    failed = await api.started('failing')
    await api.ended('failing', failed)
  })
  const box = async (selector: string) => {
    const place = page.locator(selector).first()
    // Between the two it may have been drawn again.
    return eventually(selector, async () => {
      await place.waitFor()
      return (await place.boundingBox()) ?? undefined
    })
  }
  const styleOf = async (selector: string, property: string) => {
    await page.locator(selector).first().waitFor()
    return page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`)
  }
  const height = () => page.evaluate('document.documentElement.scrollHeight')

  it('has one font of three weights, which is its own; code, ids and logs have one of fixed width', async () => {
    await page.setViewportSize(SIZE)
    for (const hash of ['', '#/runs', '#/definitions', runAddress('failing', failed)]) {
      await visit(hash)
      await page.locator('main h1').waitFor()
      await page.locator('main a').first().waitFor()
      const looks = await page.evaluate<string[]>(`[...new Set([...document.querySelectorAll('body *')]
        .filter((it) => [...it.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim()))
        .map((it) => getComputedStyle(it)).map((it) => it.fontFamily.split(',')[0] + ' ' + it.fontWeight))]`)
      const [own, fixed] = [/^Inter (?:400|500|600)$/, /^ui-monospace [45]00$/]
      expect(looks.filter((look) => !own.test(look) && !fixed.test(look))).to.deep.equal([])
      expect(await page.evaluate(`document.fonts.check('500 14px Inter')`)).to.equal(true)
    }
  })

  it('nothing in a list is underlined until it is pointed at or has the focus', async () => {
    await visit('#/runs')
    await page.mouse.move(0, 0)
    expect(await styleOf('.runs th a', 'textDecorationLine')).to.equal('none')
    await page.locator('.runs th a').first().hover()
    expect(await styleOf('.runs th a', 'textDecorationLine')).to.equal('underline')
  })

  it('the id of a run is its last characters: a press copies all of it, and the palette finds the run by what is seen', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await visit('#/runs')
    const id = page.getByRole('row', { name: failed }).locator('.run-id')
    expect(await id.textContent()).to.equal(failed.slice(-8))
    expect(await id.getAttribute('title')).to.contain(failed)
    await id.click()
    await page.getByText('Copied the run ID.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(failed)
    await page.keyboard.press('Control+k')
    await page.keyboard.type(failed.slice(-8))
    await page.getByRole('option', { name: new RegExp(`Run failing Failed, ${failed.slice(-8)}`) }).waitFor()
  })

  it('a run: its head is one line, its time another; graph and panel reach the foot of the window and scroll within', async () => {
    await page.setViewportSize(SIZE)
    await visit(runAddress('failing', failed))
    await runIs('failed')
    await page.locator('.dag-node').first().waitFor()
    const [name, status, action] = [
      await box('.run-head h1'),
      await box('.run-head .status'),
      await box('.run-head .button')
    ]
    for (const part of [status, action])
      expect(Math.abs(part.y + part.height / 2 - name.y - name.height / 2)).to.be.below(4)
    expect((await box('.time')).height).to.be.at.most(41)
    const [views, panel] = [await box('.run .views'), await box('.inspector')]
    expect(views.y, 'above the graph').to.be.below(190)
    for (const part of [views, panel]) expect(SIZE.height - part.y - part.height).to.be.within(8, 24)
    expect(await height()).to.equal(SIZE.height)
    const graph = await box('.canvas > svg')
    expect(views.y + views.height - graph.y - graph.height, 'below the graph').to.be.below(2)
    await page.getByRole('tab', { name: 'Errors' }).click()
    const log = await box('.log-box')
    expect(panel.y + panel.height - log.y - log.height, 'below the log').to.be.below(20)
    expect(log.y - (await box('.log-tools')).y, 'one row of tools').to.be.below(44)
    await page.getByRole('tab', { name: 'Logs' }).click()
    const merged = await box('.merged .windowed')
    expect(views.y + views.height - merged.y - merged.height).to.be.below(20)
    expect(await height()).to.equal(SIZE.height)
  })

  it('a failure is told once: what happened, the last lines and what can be done are one card', async () => {
    await visit(runAddress('failing', failed))
    const panel = page.locator('.inspector')
    await panel.getByRole('region', { name: 'First failure' }).getByText('row 17 has no id').waitFor()
    expect(await panel.getByText('row 17 has no id').count()).to.equal(1)
    expect(await panel.locator('.failure').count()).to.equal(1)
    expect(await panel.locator('.problem').count()).to.equal(0)
  })

  it('in every list durations are below each other by their last figure, and so is the head of their column', async () => {
    for (const hash of [
      '#/runs',
      runAddress('failing', failed, '?view=steps'),
      '#/definitions/failing?tab=durations',
      '#/definitions/failing?tab=grid'
    ]) {
      await visit(hash)
      for (const cell of ['tbody td.figure', 'thead .figure'])
        expect(await styleOf(`:is(.list, .grid) ${cell}`, 'textAlign'), `${hash} ${cell}`).to.equal('right')
      expect(await styleOf('td.figure', 'fontVariantNumeric')).to.equal('tabular-nums')
    }
  })

  it('columns of one queue are below those of the others, and the choices of a filter are in one line at 1280 px', async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    await visit('#/runs')
    await page.locator('.toggle').first().waitFor()
    const tops = (selector: string) =>
      page.evaluate<number[]>(
        `[...new Set([...document.querySelectorAll('${selector}')].map((it) => it.getBoundingClientRect().top))]`
      )
    for (const selector of ['.toggle', '.filters > .field']) expect(await tops(selector), selector).to.have.length(1)
    const long = 'a-definition-with-a-rather-long-name'
    for (const name of ['q', long]) api.write(name, 'steps: [sleep 600]')
    const runs = [await api.started('q', { params: 'X=1' }), await api.started(long)]
    await api.call('POST', '/dags/q/enqueue', { body: {} })
    await visit('#/queues')
    await page.getByText('1 of 1').waitFor()
    const columns = await page.evaluate<number[][]>(
      `[...document.querySelectorAll('.queue')].map((it) => [...it.querySelectorAll('thead th')].map((th) => th.getBoundingClientRect().left))`
    )
    expect(columns).to.have.length(2)
    expect(columns[0]).to.deep.equal(columns[1])
    for (const [at, name] of ['q', long].entries()) await api.call('POST', `/dag-runs/${name}/${runs[at]}/stop`)
  })

  it('the arrows to the previous and the next run stand at one place, on the first run and on the last one, too', async () => {
    const ids = [failed]
    for (const dagRunId of ['later-2', 'later-3']) {
      ids.push(await api.started('failing', { dagRunId }))
      await api.ended('failing', dagRunId)
    }
    const places = new Set<string>()
    for (const id of ids) {
      await visit(runAddress('failing', id))
      await page.locator('.neighbours a').first().waitFor()
      const edges = await page.locator('.neighbours > *').evaluateAll(leftEdges)
      expect(edges).to.have.length(2)
      places.add(edges.join())
    }
    expect([...places]).to.have.length(1)
  })

  it('views have one left edge, whatever the width', async () => {
    await page.setViewportSize({ width: 1920, height: 1080 })
    const edges = new Set<number>()
    for (const hash of ['', '#/runs', '#/definitions', '#/definitions/failing', runAddress('failing', failed)]) {
      await visit(hash)
      edges.add((await box('main h1')).x)
    }
    expect([...edges]).to.have.length(1)
  })

  it('what is done with a definition of a list is seen where its row is pointed at or has the focus, and named', async () => {
    await visit('#/definitions')
    const actions = 'tr:has([href="#/definitions/report"]) .quiet'
    await page.locator(actions).waitFor()
    await page.mouse.move(0, 0)
    expect(await styleOf(actions, 'opacity')).to.equal('0')
    await page.getByRole('button', { name: 'Start report' }).focus()
    expect(await styleOf(actions, 'opacity')).to.equal('1')
    expect(await page.getByRole('button', { name: 'Suspend report' }).getAttribute('title')).to.equal('Suspend')
  })

  it('a phone has the filters behind one button, and a run in two lines; a grid scrolls in its box', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await visit('#/runs')
    expect((await box('.runs tbody tr')).height).to.be.below(64)
    expect(await page.getByLabel('Run ID', { exact: true }).isVisible()).to.equal(false)
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByLabel('Run ID', { exact: true }).waitFor()
    await visit('#/definitions/failing?tab=grid')
    await page.locator('.cell').first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(390)
  })
})

/** Runs in the page. */
const leftEdges = (all: { getBoundingClientRect(): { left: number } }[]): number[] =>
  all.map((it) => it.getBoundingClientRect().left)
