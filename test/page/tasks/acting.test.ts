/** What an operator does, each from the first screen in at most 4 clicks; what is typed is not counted. Source: docs/page.md. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { onlyLast } from '../../support/long.ts'
import { keepPicture, seriousFindings } from '../../support/page/browser.ts'
import { busyHome } from '../../support/page/busy-home.ts'
import { type Clicks, countClicks } from '../../support/page/clicks.ts'
import { livePage } from '../../support/page/live-page.ts'
import { eventually } from '../../support/waiting.ts'

/** Something is counted at all. */
const LEAST_CLICKS = 1
const MOST_CLICKS = 4
const SCREENS = [
  [1440, 'light'],
  [1024, 'dark'],
  [390, 'dark'],
  [390, 'light']
] as const

describe('page › tasks: acting', () => {
  let page: Page
  let clicks: Clicks
  const { api, visit, is, runIs, button } = livePage((opened) => {
    page = opened
  })
  before(() => busyHome(api))
  beforeEach(async () => {
    clicks = await countClicks(page)
    await visit('')
  })
  /** A test that ends with a look at the number of clicks. */
  const task = (title: string, act: () => Promise<void>) =>
    it(title, async () => {
      await act()
      await keepPicture(page, `task ${title}`)
      expect(await clicks.count(), 'clicks').to.be.within(LEAST_CLICKS, MOST_CLICKS)
    })

  const dialog = () => page.getByRole('dialog')
  const goTo = (view: string) => page.getByRole('navigation').getByRole('link', { name: view, exact: true }).click()
  const openFailed = () =>
    page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: 'warehouse' }).click()
  const dagRun = async (name: string, dagRunId: string) => (await api.get(`/dag-runs/${name}/${dagRunId}`)).dagRun
  const queuedIds = async () => {
    const { queues } = await api.get('/queues')
    return queues.flatMap(({ queuedDAGRuns }: { queuedDAGRuns: { dagRunId: string }[] }) =>
      queuedDAGRuns.map(({ dagRunId }) => dagRunId)
    )
  }

  task('retry from the failed step', async () => {
    await openFailed()
    await runIs('failed')
    await button(/^Retry$/).click()
    await page.getByText('The run continues from where it failed.').waitFor()
    await eventually(
      'another attempt',
      async () => (await dagRun('warehouse', 'warehouse-0207')).attempt === 2 || undefined
    )
    await api.ended('warehouse', 'warehouse-0207')
  })

  it('approve knowing what: in 2 clicks from the first screen', async () => {
    api.write(
      'deploy',
      'params: "VERSION=4.13.1"\nsteps: [{name: approve, executor: {type: approval, config: {ask: "Deploy ${VERSION}?"}}}]'
    )
    const dagRunId = await api.started('deploy')
    const wait = page.getByRole('region', { name: 'Waits for you' }).getByRole('listitem')
    await wait.getByText('Deploy 4.13.1?').waitFor()
    await wait.getByRole('button', { name: 'Approve' }).click()
    expect((await api.ended('deploy', dagRunId)).statusLabel).to.equal('succeeded')
    expect(await clicks.count(), 'clicks').to.be.within(LEAST_CLICKS, 2)
  })

  task('run again with other parameters', async () => {
    await openFailed()
    await button('Rerun with…').click()
    await dialog().getByLabel('PRICES').fill('old')
    await dialog().getByRole('button', { name: 'Rerun' }).click()
    await page.waitForURL((url) => !url.href.includes('warehouse-0207'))
    await runIs('succeeded')
  })

  task('run a step that succeeded again, with all that comes after it', async () => {
    const before = await api.ended('warehouse', await api.started('warehouse', { dagRunId: 'went-well' }))
    await page
      .getByRole('link', { name: /[1-9]\d* succeeded/ })
      .first()
      .click()
    await page
      .getByRole('row', { name: /went-well/ })
      .getByRole('link')
      .click()
    await page.locator('#dag-join').click()
    await button('Rerun from here').click()
    await page.getByText('The run continues from join.').waitFor()
    const after = await eventually('the end of another attempt', async () => {
      const run = await dagRun('warehouse', 'went-well')
      return run.attempt === 2 && run.statusLabel === 'succeeded' ? run : undefined
    })
    const startOf = (run: typeof before, name: string) =>
      run.nodes.find(({ step }: { step: { name: string } }) => step.name === name).startedAt
    expect(startOf(after, 'load-prices')).to.equal(startOf(before, 'load-prices'))
    expect(after.nodes.map(({ statusLabel }: { statusLabel: string }) => statusLabel)).to.deep.equal(
      after.nodes.map(() => 'succeeded')
    )
    const { events } = await api.get('/dag-runs/warehouse/went-well/journal')
    const executions = (step: string) =>
      events.filter((event: { step?: string; to: string }) => event.step === step && event.to.endsWith('executing'))
        .length
    expect([executions('load-prices'), executions('join'), executions('publish')]).to.deep.equal([1, 2, 2])
  })

  task('edit a definition, and see its problems at their lines', async () => {
    await goTo('Definitions')
    await page.getByRole('link', { name: 'nightly' }).click()
    await page.getByRole('link', { name: /^Edit/ }).click()
    await page.locator('.cm-content').press('Control+End')
    await page.keyboard.type('comand: x')
    await page.getByRole('button', { name: /^Line \d+: .*comand/ }).waitFor()
  })

  task('suspend a schedule and resume it', async () => {
    await goTo('Definitions')
    await button('Suspend nightly').click()
    await button('Resume nightly').click()
    await button('Suspend nightly').waitFor()
  })

  task('clear a queue: none of what waited in it begins', async () => {
    await goTo('Queues')
    await button('Clear chatty').click()
    await dialog().getByText('waits-1').waitFor()
    await dialog().getByRole('button', { name: 'Remove 2 runs from the queue' }).click()
    await page.getByText('Removed 2 runs from the queue.').waitFor()
    expect(await queuedIds()).to.deep.equal([])
    expect((await api.call('GET', '/dag-runs/chatty/waits-1')).status).to.equal(404)
  })

  task('stop a run', async () => {
    const dagRunId = await api.started('long')
    await page
      .getByRole('link', { name: /[1-9]\d* running/ })
      .first()
      .click()
    await page
      .getByRole('row', { name: new RegExp(dagRunId) })
      .getByRole('link')
      .click()
    await is('rest', 'running')
    await button(/^Stop$/).click()
    await dialog().getByRole('button', { name: 'Stop the run' }).click()
    expect((await api.ended('long', dagRunId)).statusLabel).to.equal('canceled')
  })

  task('stop several runs at once, after a question', async () => {
    const spec = 'steps: [{name: rest, command: sleep 600}]'
    for (const name of ['one', 'two']) await api.startedInline({ name, spec, dagRunId: name })
    await page
      .getByRole('link', { name: /[2-9]\d* running/ })
      .first()
      .click()
    await page.getByRole('row', { name: /\btwo\b/ }).waitFor()
    await page.getByLabel('Select all that can be stopped or retried').click()
    await button(/^Stop \d runs…$/).click()
    await dialog().getByText('one', { exact: true }).first().waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await dialog()
      .getByRole('button', { name: /^Stop \d runs$/ })
      .click()
    await page.getByText(/^Asked \d runs to stop\.$/).waitFor()
    for (const name of ['one', 'two']) expect((await api.ended(name, name)).statusLabel).to.equal('canceled')
  })

  task('retry several failed runs at once, after a question that names what is not retried', async () => {
    const spec =
      'maxActiveRuns: 9\nsteps: [{name: check, command: "test -f $DAG_RUN_ID.ok || { touch $DAG_RUN_ID.ok; exit 3; }"}]'
    const ids = ['again-1', 'again-2', 'again-3']
    for (const dagRunId of ids) await api.ended('again', await api.startedInline({ name: 'again', spec, dagRunId }))
    const moving = await api.startedInline({ name: 'again-rest', spec: 'steps: [sleep 600]', dagRunId: 'again-on' })
    await page.evaluate("location.hash = '#/runs?name=again'")
    await page.getByLabel('Select all that can be stopped or retried').click()
    await button('Retry 3 runs…').click()
    await dialog().getByRole('heading', { name: 'Retry 3 runs?' }).waitFor()
    for (const id of ids) await dialog().getByText(id).waitFor()
    await dialog().getByText('Not retried, because they have not ended').waitFor()
    await dialog().getByText('again-on').waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    // Somebody else is faster with one of them.
    await page.route(/again-2\/retry$/, (route) => {
      const body = JSON.stringify({ code: 'already_running', message: 'it has not ended' })
      return route.fulfill({ status: 400, contentType: 'application/json', body })
    })
    await dialog().getByRole('button', { name: 'Retry 3 runs' }).click()
    await page.getByText('Done for 2 of 3. again again-2: it has not ended').waitFor()
    for (const dagRunId of ['again-1', 'again-3'])
      await eventually('a second attempt that succeeds', async () => {
        const { attempt, statusLabel } = await dagRun('again', dagRunId)
        return (attempt === 2 && statusLabel === 'succeeded') || undefined
      })
    expect((await dagRun('again', 'again-2')).attempt).to.equal(1)
    // What was refused stays selected, and what was to be stopped.
    await page.getByRole('region', { name: 'Selected runs' }).getByText('2 selected').waitFor()
    await button('Retry 1 run…').waitFor()
    await api.call('POST', `/dag-runs/again-rest/${moving}/stop`)
    await api.ended('again-rest', moving)
  })

  task('what can be stopped or retried can be selected, until its status is another one', async () => {
    await api.ended('nightly', await api.started('nightly', { dagRunId: 'all-well' }))
    const dagRunId = await api.started('long')
    await goTo('Runs')
    await page.getByLabel(`Select long ${dagRunId}`).click()
    await page.getByRole('region', { name: 'Selected runs' }).getByText('1 selected').waitFor()
    for (const [width, colorScheme] of onlyLast(SCREENS)) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      expect(await seriousFindings(page), `${width} px`).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), `${width} px`).to.equal(0)
      await keepPicture(page, `selected runs ${width} ${colorScheme}`)
    }
    expect(await page.getByLabel('Select nightly all-well').count()).to.equal(0)
    expect(await page.getByLabel('Select warehouse warehouse-0207').count()).to.equal(1)
    await api.call('POST', `/dag-runs/long/${dagRunId}/stop`)
    await page.getByRole('region', { name: 'Selected runs' }).waitFor({ state: 'detached' })
  })
})
