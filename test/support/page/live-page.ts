/** The web page in a real browser, on a real engine with definitions to look at, for the tests of a `describe`. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { EngineOptions } from '../../../src/index.ts'
import { liveApi } from '../api/live-api.ts'
import { keepPicture, pagesInTurn, type Watched } from './browser.ts'

const REPORT = `description: Collects figures
tags: [reports]
params: "DAY=monday"
type: graph
steps:
  - name: fetch
    command: echo "for $DAY"
  - name: check
    command: test -f $DAG_RUN_ID.flag || { touch $DAG_RUN_ID.flag; exit 3; }
    depends: [fetch]
    retryPolicy: {limit: 2, intervalSec: 3}
  - name: publish
    command: echo published
    depends: [check]
handlerOn:
  exit: {command: echo bye}
`
const SLOW = `steps:
  - name: talk
    command: |
      i=0
      while [ $i -lt 600 ]; do i=$((i+1)); echo "line $i <script>document.title='taken over'</script>"; sleep 0.1; done
`
const FAILING = `steps:
  - name: works
    command: echo fine
  - name: breaks
    # What it writes is not in its text.
    command: echo "row $((16 + 1)) has no id" >&2; exit 2
  - name: after
    command: echo never
`
const BROKEN = `steps:
  - name: a
    command: echo
    colour: red
`

/** What a run of a definition is called in an address of the page. */
export const runAddress = (name: string, dagRunId: string, query = '') => `#/runs/${name}/${dagRunId}${query}`

/** Serves `report`, `slow`, `failing` and `broken`. @param opened called with the page of each test, watched, before it begins */
export function livePage(opened: (page: Page) => void, options: EngineOptions = {}) {
  const api = liveApi({ schedules: false, ...options })
  const pages = pagesInTurn()
  let watched: Watched
  let page: Page

  before(async () => {
    api.write('report', REPORT)
    api.write('slow', SLOW)
    api.write('failing', FAILING)
    api.write('broken', BROKEN)
  })
  beforeEach(async () => {
    watched = await pages.next()
    page = watched.page
    opened(page)
  })
  afterEach(async function () {
    if (this.currentTest?.isFailed()) {
      await keepPicture(page, `failed ${this.currentTest.title}`)
      console.error('the page said:', await page.locator('.notice').allTextContents())
      await page.context().close()
    }
    expect(watched.strangers, 'requests to other servers').to.deep.equal([])
    expect(watched.faults, 'errors in the page').to.deep.equal([])
    await pages.forget(`http://127.0.0.1:${api.port}`)
  })

  /** When only the fragment is another one, the view before is gone, too. */
  const visit = async (hash: string) => {
    const answer = await page.goto(`http://127.0.0.1:${api.port}/${hash}`)
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
    return answer
  }
  return {
    api,
    visit,
    box: (step: string) => page.locator(`#dag-${step}`),
    is: (step: string, label: string) => page.locator(`#dag-${step}.s-${label}`).waitFor(),
    runIs: (label: string) => page.locator(`.run-head .status.s-${label}`).waitFor(),
    lit: (path: string) => page.locator(`.state.lit[data-state="${path}"]`).waitFor(),
    button: (name: string | RegExp) => page.getByRole('button', { name })
  }
}
