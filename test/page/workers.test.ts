/** The workers of a server in a real browser; the answers about them are the test's. Source: distribution 9; http-api "Worker". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong, onlyLast } from '../support/long.ts'
import { keepPicture, seriousFindings } from '../support/page/browser.ts'
import { cutText } from '../support/page/cut-text.ts'
import { hurry } from '../support/page/hurried.ts'
import { livePage } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

const COORDINATOR = { instanceId: 'box@50055', host: 'box', port: 50_055, status: 'active', startedAt: '' }
const NONE = { code: 'service_unavailable', message: 'no coordinator is running' }

type Health = 'HEALTHY' | 'WARNING' | 'UNHEALTHY'

/** As the API answers. @param silentMs age of its last heartbeat */
const worker = (id: string, given: object = {}, health: Health = 'HEALTHY', silentMs = 1_000) => ({
  id,
  labels: { zone: 'a' },
  health_status: `WORKER_HEALTH_STATUS_${health}`,
  running_tasks: [],
  last_heartbeat: new Date(Date.now() - silentMs).toISOString(),
  connectedAt: new Date().toISOString(),
  status: 'serving',
  reason: '',
  slots: 4,
  version: '1.2.3',
  host: 'box',
  load: { cpu: 12, mem: 40.4, disk: 7 },
  ...given
})
const task = (dagName: string, dagRunId: string) => ({
  dagName,
  dagRunId,
  rootDagRunName: dagName,
  rootDagRunId: dagRunId,
  parentDagRunName: '',
  parentDagRunId: '',
  startedAt: new Date().toISOString()
})

/** Ids as people give them, and as nobody should. */
const ODD = ['\u202eright-to-left', 'עובד-ראשון', '<img src=x onerror=alert(1)>', 'a/b?c#d%e', '漢字', '👩‍👩‍👧‍👦']
const LONG = 'w'.repeat(200)
const manyLabels = Object.fromEntries(
  Array.from({ length: 100 }, (_, at) => [`label-number-${at}`, 'v'.repeat(at * 3)])
)

describe('page › workers', function () {
  this.timeout(120_000)
  let page: Page
  let asked = 0
  let workers: object[] | undefined
  let errors: string[] = []
  const { visit, lit } = livePage((opened) => {
    page = opened
  })
  beforeEach(async () => {
    asked = 0
    workers = []
    errors = []
    await page.route(/\/api\/v2\/workers$/, (route) => {
      asked++
      return workers ? route.fulfill({ json: { workers, errors } }) : route.fulfill({ status: 503, json: NONE })
    })
    await page.route(/\/services\/coordinator$/, (route) =>
      route.fulfill({ json: { coordinators: workers ? [COORDINATOR] : [] } })
    )
  })
  const row = (id: string) =>
    page.locator('table.workers tbody tr').filter({ has: page.getByText(id, { exact: true }) })
  const link = () => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Workers' })

  it('are in the navigation only when there is a coordinator', async () => {
    workers = undefined
    const answered = page.waitForResponse(/\/services\/coordinator$/)
    await visit('#/runs')
    await answered
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    expect(await link().count()).to.equal(0)
    workers = []
    await page.reload()
    await link().click()
    await page.getByRole('heading', { name: 'Workers' }).waitFor()
    expect(await link().getAttribute('aria-current')).to.equal('page')
  })

  it('without a coordinator, the view says so, and how to start one; then it shows its workers', async () => {
    workers = undefined
    await hurry(page)
    await visit('#/workers')
    await page.getByText('There is no coordinator: no coordinator is running.').waitFor()
    await page.locator('code', { hasText: 'troupe coordinator' }).waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    workers = [worker('late')]
    await row('late').waitFor()
  })

  itLong('without workers, the view says how to start one', async () => {
    await visit('#/workers')
    await page.getByText('No worker is connected.').waitFor()
    await page.locator('code', { hasText: 'troupe worker --worker.coordinators box:50055' }).waitFor()
  })

  it('shows health in words, slots, runs, load, place and silence of each, and follows them', async () => {
    const [busy, silent] = [
      worker('wa', { running_tasks: [task('etl', 'r-1')] }),
      worker('wb', { load: {} }, 'WARNING', 9_000)
    ]
    const refused = worker('wa', { status: 'incompatible', reason: 'the id is in use', host: 'other' })
    workers = [busy, silent, refused, worker('wd', { status: 'draining' })]
    errors = ['the message bus is out of reach: refused']
    await visit('#/workers')
    const shown = row('wa').filter({ hasText: 'healthy' })
    for (const text of ['zone=a', 'box, version 1.2.3', '1 of 4', 'CPU 12 %, memory 40 %, disk 7 %'])
      await shown.getByText(text).waitFor()
    expect(await shown.getByRole('link', { name: 'etl' }).getAttribute('href')).to.equal('#/runs/etl/r-1')
    await row('wb').getByText('Warning', { exact: true }).waitFor()
    expect(await row('wb').textContent()).to.match(/–(?:9|1[0-2]) s ago$/)
    await row('wa').filter({ hasText: 'incompatible' }).getByText('the id is in use').waitFor()
    await row('wd').getByText('draining').waitFor()
    await page.getByText('the message bus is out of reach: refused').waitFor()

    workers = [busy, worker('wb', {}, 'UNHEALTHY', 20_000)]
    await row('wb').getByText('Unhealthy', { exact: true }).waitFor()
    const seen = row('wb').getByRole('img')
    expect(await seen.getAttribute('aria-label')).to.match(/^Seen in the last 5 min: .* warning, .* unhealthy$/)
    expect(await row('wd').count()).to.equal(0)
  })

  itLong('the age of a heartbeat goes by the clock of the server, whatever the visitor’s says', async () => {
    await page.addInitScript(`(() => {
      const Real = Date
      globalThis.Date = class extends Real {
        constructor(...parts) { parts.length === 0 ? super(Real.now() - 3_600_000) : super(...parts) }
        static now() { return Real.now() - 3_600_000 }
      }
    })()`)
    workers = [worker('wb', {}, 'WARNING', 9_000)]
    await visit('#/workers')
    await row('wb').waitFor()
    expect(await row('wb').textContent()).to.match(/(?:[89]|1[0-4]) s ago$/)
  })

  it('filters by id, label and health; the filter is in the address', async () => {
    workers = [worker('wa'), worker('wb', { labels: { gpu: 'yes' } }), worker('wc', {}, 'UNHEALTHY', 20_000)]
    await visit('#/workers')
    await page.getByLabel('Id or label').fill('GPU=')
    await row('wb').waitFor()
    await row('wa').waitFor({ state: 'detached' })
    await page.getByText('1 of 3').waitFor()
    await visit('#/workers?health=unhealthy')
    await row('wc').waitFor()
    expect(await page.locator('table.workers tbody tr').count()).to.equal(1)
    await page.getByRole('combobox', { name: 'Health' }).selectOption('Lost')
    await page.getByText('No matching workers.').waitFor()
  })

  itLong('sorts all of them by id, health and slots in use; the order is in the address', async () => {
    const busy = { running_tasks: [task('etl', 'r-1'), task('etl', 'r-2')] }
    workers = [worker('wb', {}, 'UNHEALTHY', 20_000), worker('wc', busy), worker('wa', {}, 'WARNING', 9_000)]
    await visit('#/workers')
    const shown = (...ids: string[]) =>
      eventually(`${ids}`, async () => {
        const found = await page.locator('table.workers tbody th a').allTextContents()
        return found.join() === ids.join() || undefined
      })
    const press = (name: string) => page.getByRole('columnheader', { name }).getByRole('button').click()
    await shown('wb', 'wc', 'wa')
    await press('Worker')
    await shown('wa', 'wb', 'wc')
    await press('Health')
    await shown('wb', 'wa', 'wc')
    await press('Slots')
    await shown('wc', 'wb', 'wa')
    expect(await page.getByRole('columnheader', { name: 'Slots' }).getAttribute('aria-sort')).to.equal('descending')
    await page.waitForURL(/sort=slots&order=desc/)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByLabel('Order').selectOption('By worker')
    await shown('wa', 'wb', 'wc')
    expect(await seriousFindings(page)).to.deep.equal([])
  })

  it('a worker has a view of its own, with the present state lit in its chart', async () => {
    workers = [worker('wa', { running_tasks: [task('etl', 'r-1')] })]
    await visit('#/workers')
    await row('wa').getByRole('link', { name: 'wa' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/workers\/wa$/)
    await lit('serving')
    await lit('serving.healthy')
    workers = [worker('wa', {}, 'WARNING', 9_000)]
    await lit('serving.warning')
    workers = [worker('wa', { status: 'incompatible', reason: 'it speaks version 7' })]
    await lit('incompatible')
    await page.getByText('it speaks version 7').waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    workers = [worker('wb')]
    await page.getByText('This worker is not connected').waitFor()
  })

  it('is drained by a button, and takes runs again by the same', async () => {
    const sent: unknown[] = []
    await page.route(/\/workers\/w%2F1\/drain$/, (route) => {
      const { drain } = route.request().postDataJSON()
      sent.push(drain)
      workers = [worker('w/1', { status: drain ? 'draining' : 'serving' })]
      return route.fulfill({ json: workers[0] })
    })
    workers = [worker('w/1')]
    await visit('#/workers/w%2F1')
    await page.getByRole('button', { name: 'Drain' }).click()
    await page.getByText('The worker takes no more runs').waitFor()
    await page.getByText('draining', { exact: true }).waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Take runs again' }).click()
    await page.getByText('The worker takes runs again.').waitFor()
    await page.getByRole('button', { name: 'Drain' }).waitFor()
    expect(sent).to.deep.equal([true, false])
  })

  itLong('an answer that changes nothing changes no element; focus and scroll stay', async () => {
    workers = Array.from({ length: 60 }, (_, at) => worker(`w-${at}`))
    await visit('#/workers')
    await row('w-40').getByRole('link', { name: 'w-40' }).focus()
    const place = () => page.evaluate<[number, string]>('[scrollY, document.activeElement.textContent]')
    const before = await place()
    expect(before[0]).to.be.greaterThan(0)
    await page.evaluate(`(() => {
      globalThis.changed = 0
      new MutationObserver((all) => { for (const { addedNodes, removedNodes } of all) globalThis.changed += addedNodes.length + removedNodes.length })
        .observe(document.querySelector('main'), { subtree: true, childList: true })
    })()`)
    const from = asked
    while (asked < from + 3) await page.waitForResponse(/\/workers$/)
    expect(await place()).to.deep.equal(before)
    expect(await page.evaluate('globalThis.changed')).to.equal(0)
  })

  itLong('a hidden tab asks for nothing, and asks at once when it is shown again', async () => {
    await visit('#/workers')
    await page.getByText('No worker is connected.').waitFor()
    const be = (state: string) =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await be('hidden')
    await page.waitForTimeout(300) // an answer may be on its way
    const before = asked
    await page.waitForTimeout(5_000)
    expect(asked).to.equal(before)
    workers = [worker('wa')]
    await be('visible')
    await row('wa').waitFor({ timeout: 1_500 })
  })

  for (const [width, colorScheme] of onlyLast([
    [1280, 'light'],
    [390, 'dark'],
    [320, 'light']
  ] as const))
    it(`at ${width} px, ${colorScheme}: long and odd ids, labels and reasons can be read, and are only text`, async () => {
      await page.setViewportSize({ width, height: 840 })
      await page.emulateMedia({ colorScheme })
      const tasks = Array.from({ length: 12 }, (_, at) => task('n'.repeat(40), `${'r'.repeat(60)}${at}`))
      const refused = { status: 'incompatible', reason: 'because'.repeat(300) }
      workers = [
        worker(LONG, { labels: manyLabels, running_tasks: tasks, host: 'h'.repeat(250), version: 'v'.repeat(100) }),
        worker(`${LONG}2`, refused, 'UNHEALTHY', 90_000),
        ...ODD.map((id) => worker(id, { labels: { [id]: id } }))
      ]
      const views = [
        '#/workers',
        `#/workers/${LONG}`,
        `#/workers/${LONG}2`,
        ...ODD.map((id) => `#/workers/${encodeURIComponent(id)}`)
      ]
      for (const [at, view] of views.entries()) {
        await visit(view)
        await page.getByText('zone=a').or(page.locator('.status')).first().waitFor()
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
        expect(await cutText(page), view).to.deep.equal([])
        expect(await page.locator('main img[src]').count()).to.equal(0)
        await keepPicture(page, `${width} ${colorScheme} workers ${at}`)
        expect(await seriousFindings(page), view).to.deep.equal([])
      }
    })

  itLong('of a thousand workers the first hundred are shown, others on request', async () => {
    workers = Array.from({ length: 1_000 }, (_, at) =>
      worker(`w-${String(at).padStart(4, '0')}`, { labels: manyLabels })
    )
    await visit('#/workers')
    await row('w-0099').waitFor()
    expect(await page.locator('table.workers tbody tr').count()).to.equal(100)
    await page.getByRole('button', { name: 'More workers' }).click()
    await row('w-0199').waitFor()
    await page.getByLabel('Id or label').fill('w-0999')
    await row('w-0999').waitFor()
    await page.getByText('1 of 1000').waitFor()
  })
})
