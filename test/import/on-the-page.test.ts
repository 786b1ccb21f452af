/** Imported runs on the page: their graph, logs, sub DAG runs and timeline. Source: docs/operating/coming-from-dagu.md. */
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../support/long.ts'
import { keepPicture, seriousFindings } from '../support/page/browser.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'
import { daguHome, importInto } from './scene.ts'

describe('page › imported runs', () => {
  const home = join(tmpdir(), `troupe-test-imported-${process.pid}`)
  let page: Page
  // Before the engine of the page is opened on it.
  before(async () => {
    await importInto(home, daguHome(), { only: new Set(['definitions', 'base', 'history', 'logs'] as const) })
  })
  const { visit, is, runIs } = livePage(
    (opened) => {
      page = opened
    },
    { temporary: false, home }
  )
  after(() => rmSync(home, { recursive: true, force: true }))

  it('are in the list with their trigger, and are filtered by it', async () => {
    await visit('#/runs?trigger=import')
    await page.getByText('broken-1').first().waitFor()
    await page.getByText('parent-1').first().waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await keepPicture(page, 'imported runs')
  })
  it('show their graph, the step that failed, its error and its log', async () => {
    await visit(runAddress('broken', 'broken-1', '?step=bad&side=err'))
    await runIs('failed')
    await is('good', 'succeeded')
    await is('bad', 'failed')
    await page.getByRole('log').getByText('oh no').waitFor()
    await page.getByText('Import', { exact: false }).first().waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await keepPicture(page, 'imported run')
  })
  itLong('show what a run called', async () => {
    await visit(runAddress('parent', 'parent-1', '?step=many'))
    await runIs('succeeded')
    await keepPicture(page, 'imported call')
    await page.getByRole('link', { name: /child/ }).first().waitFor()
  })
})
