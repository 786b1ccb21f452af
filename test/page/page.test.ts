/**
 * The web page in a real browser, on a real engine with real runs. Source: architecture 9. One file for all questions, as one browser
 * and one engine with its runs serve them all: to begin those anew takes longer than most tests.
 */
import { unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { keepPicture, liveBrowser, seriousFindings, type Watched } from '../support/browser.ts'
import { openCable } from '../support/cable.ts'
import { temporaryFolder } from '../support/homes.ts'
import { liveApi } from '../support/live-api.ts'
import { eventually } from '../support/waiting.ts'

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
    command: echo "row 17 has no id" >&2; exit 2
  - name: after
    command: echo never
`
const BROKEN = `steps:
  - name: a
    command: echo
    colour: red
`

/** A script that has a page take itself for seen or hidden. */
const TURNING = `
let state = 'visible'
Object.defineProperty(document, 'visibilityState', { get: () => state })
globalThis.turnTo = (next) => {
  state = next
  document.dispatchEvent(new Event('visibilitychange'))
}`

/** The second hour of a year, wherever browser and engine think they are. */
const NEXT_YEAR = /(?:Dec 31|Jan 01|Jan 02).* \d\d:00:00/

describe('page › a real browser on a real engine', () => {
  const api = liveApi({ schedules: false })
  const open = liveBrowser()
  let watched: Watched
  let page: Page

  before(async () => {
    api.write('report', REPORT)
    api.write('slow', SLOW)
    api.write('failing', FAILING)
    api.write('broken', BROKEN)
  })
  beforeEach(async () => {
    watched = await open()
    page = watched.page
  })
  afterEach(async function () {
    if (this.currentTest?.isFailed()) {
      await keepPicture(page, `failed ${this.currentTest.title}`)
      console.error('the page said:', await page.locator('.notice').allTextContents())
    }
    expect(watched.strangers, 'requests to other servers').to.deep.equal([])
    expect(watched.faults, 'errors in the page').to.deep.equal([])
    await page.context().close()
  })

  const visit = (hash: string) => page.goto(`http://127.0.0.1:${api.port}/${hash}`)
  const runAddress = (name: string, dagRunId: string, query = '') => `#/runs/${name}/${dagRunId}${query}`
  const box = (step: string) => page.locator(`#dag-${step}`)
  const is = (step: string, label: string) => page.locator(`#dag-${step}.s-${label}`).waitFor()
  const runIs = (label: string) => page.locator(`.run-head .status.s-${label}`).waitFor()
  /** The page shows the end of the attempt of now: what it showed may be of the one before, and a click then is "not now". */
  const settled = (name: string, dagRunId: string) => api.ended(name, dagRunId).then(() => page.reload())
  const lit = (path: string) => page.locator(`.state.lit[data-state="${path}"]`).waitFor()
  const button = (name: string | RegExp) => page.getByRole('button', { name })

  it('its policy lets in nothing from elsewhere and no inline script', async () => {
    const answer = await visit('')
    const policy = answer?.headers()['content-security-policy'] ?? ''
    expect(policy).to.contain("default-src 'self'").and.contain("frame-ancestors 'none'").and.not.contain('unsafe')
    expect(await answer?.text()).to.not.match(/(?:src|href)="(?:https?:)?\/\//)
  })

  it('starts a run with parameters, and shows a node go through an attempt, a retry wait and success', async () => {
    await visit('#/definitions')
    await button('Start report').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Parameters').fill('DAY=sunday')
    await dialog.getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL(/#\/runs\/report\//)
    await box('check').click()
    await page.getByRole('tab', { name: 'Chart' }).click()
    await lit('waiting')
    await lit('succeeded')
    await is('check', 'succeeded')
    await page.getByRole('button', { name: 'check, succeeded, tried 2 times' }).waitFor()
    await is('publish', 'succeeded')
    await runIs('succeeded')
    await box('fetch').click()
    await page.getByRole('tab', { name: 'Output' }).click()
    await page.getByRole('log').getByText('for sunday').waitFor()
  })

  it('travels back: graph, chart and table show the state at that instant, and now again', async () => {
    const dagRunId = await api.started('report')
    await api.ended('report', dagRunId)
    const { events } = (await api.call('GET', `/dag-runs/report/${dagRunId}/journal`)).json
    const waits = events.find(({ step, to }: { step?: string; to: string }) => step === 'check' && to === 'waiting')
    await visit(runAddress('report', dagRunId, '?step=check&side=chart'))
    await lit('succeeded')
    const slider = page.getByRole('slider')
    await slider.focus()
    await page.keyboard.press('Home')
    await page.waitForURL(/at=1\b/)
    await is('check', 'not_started')
    await visit(runAddress('report', dagRunId, `?step=check&side=chart&at=${waits.seq}`))
    await lit('waiting')
    const next = page.locator('.actor-facts .chip')
    expect(await next.allTextContents()).to.deep.equal(['alarm.rang', 'node.stop'])
    await is('check', 'running')
    await is('publish', 'not_started')
    await page.getByRole('tab', { name: 'Steps' }).click()
    await page.getByRole('row', { name: /^publish not started/ }).waitFor()
    await button('To now').click()
    await page.getByRole('row', { name: /^publish succeeded/ }).waitFor()
    await lit('succeeded')
    expect(page.url()).to.not.contain('at=')
  })

  it('each attempt is a bar of its own that says how it went, and so is the wait between them', async () => {
    const dagRunId = await api.started('report')
    await api.ended('report', dagRunId)
    await visit(runAddress('report', dagRunId, '?view=steps'))
    const drawing = page.getByRole('row', { name: /^check/ }).getByRole('img')
    await page
      .getByRole('img', { name: /attempt 1 failed: .*, waits for a retry: \d\.\d s, attempt 2 succeeded: / })
      .waitFor()
    for (const bar of ['work.s-failed', 'wait', 'work.s-succeeded'])
      expect(await drawing.locator(`rect.${bar}`).count(), bar).to.equal(1)
    const { events } = (await api.call('GET', `/dag-runs/report/${dagRunId}/journal`)).json
    const waits = events.find(({ step, to }: { step?: string; to: string }) => step === 'check' && to === 'waiting')
    await visit(runAddress('report', dagRunId, `?view=steps&at=${waits.seq}`))
    await page.getByRole('row', { name: /^check running/ }).waitFor()
    await page.getByRole('img', { name: /attempt 1 failed: [^,]*, waits for a retry: [^,]*$/ }).waitFor()
  })

  it('plays a run from its first event to its end, goes on and back one event, and says which guards refuse', async () => {
    api.write('short', 'steps: ["true"]')
    const dagRunId = await api.started('short')
    await api.ended('short', dagRunId)
    const { events } = (await api.call('GET', `/dag-runs/short/${dagRunId}/journal`)).json
    const begun = events.find(({ to }: { to: string }) => to === 'attempting.executing')
    await visit(runAddress('short', dagRunId, `?step=${begun.step}&side=chart&at=${begun.seq}`))
    await page.getByTitle('the guard mayNotResume says no').waitFor()
    await button('One event back').click()
    await page.waitForURL(({ href }) => href.includes(`at=${begun.seq - 1}`))
    await button('One event on').click()
    await page.waitForURL(({ href }) => href.includes(`at=${begun.seq}`))
    await button('To the first event').click()
    await page.waitForURL(/at=1\b/)
    await button('Play from here').click()
    const seen = new Set<string>()
    await eventually('the end', async () => {
      const at = new URLSearchParams(page.url().split('?')[1]).get('at')
      if (at) seen.add(at)
      return at === null || undefined
    })
    expect([...seen]).to.include.members(events.slice(1, -1).map(({ seq }: { seq: number }) => String(seq)))
    await lit('succeeded')
  })

  it('no secret is on any side of a run: facts, outputs, chart, logs, events', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'token'), 'sesame-4711-open')
    api.write(
      'secretive',
      `secrets: [{name: TOKEN, provider: file, key: ${folder}/token}]\nsteps: [{name: leak, command: 'echo "is $TOKEN"', output: LEAKED}]\n`
    )
    const dagRunId = await api.started('secretive')
    await api.ended('secretive', dagRunId)
    const texts: string[] = []
    for (const query of [
      '',
      '?side=chart',
      '?side=out',
      '?step=leak',
      '?step=leak&side=out',
      '?step=leak&side=chart',
      '?view=events'
    ]) {
      await visit(runAddress('secretive', dagRunId, query))
      await runIs('succeeded')
      if (query === '') await page.getByText('LEAKED').waitFor()
      if (query === '?step=leak&side=out') await page.getByRole('log').getByText('is ').waitFor()
      texts.push(await page.content())
    }
    expect(texts.join('')).to.contain('is *****').and.not.contain('sesame')
  })

  it('back in time nothing is told that was known only later: neither the end nor outputs', async () => {
    api.write('tells', 'steps: [{name: a, command: echo 42, output: FOUND}, {name: b, command: "true"}]')
    const dagRunId = await api.started('tells')
    await api.ended('tells', dagRunId)
    await visit(runAddress('tells', dagRunId))
    const facts = page.getByRole('complementary', { name: 'The run' })
    await facts.getByText('FOUND').waitFor()
    await facts.getByText('Ended').waitFor()
    await page.getByRole('slider').focus()
    await page.keyboard.press('Home')
    await facts.getByText('FOUND').waitFor({ state: 'detached' })
    expect(await facts.getByText('Ended').count()).to.equal(0)
  })

  it('names, descriptions, parameters and outputs with HTML in them are text', async () => {
    const evil = `<img src=x onerror="document.title='taken over'">`
    const said = JSON.stringify(evil)
    api.write(
      'evil',
      `description: ${said}\ntags: [${said}]\nparams: ${JSON.stringify(`P='${evil.replaceAll("'", '')}'`)}\nsteps:\n  - name: ${said}\n    description: ${said}\n    command: ${JSON.stringify(`echo '<b>bold</b>'`)}\n    output: O\n`
    )
    const dagRunId = await api.started('evil')
    await api.ended('evil', dagRunId)
    const seen = page.locator('main :visible', { hasText: 'onerror' })
    for (const view of ['#/runs', '#/definitions', '#/definitions/evil', '#/definitions/evil?tab=text'])
      await visit(view).then(() => seen.first().waitFor())
    for (const query of ['', '?view=steps', '?view=events', '?view=messages']) {
      await visit(runAddress('evil', dagRunId, query))
      await page.getByText('<b>bold</b>').first().waitFor()
      await page
        .getByText(/onerror/)
        .first()
        .waitFor({ state: 'attached' })
    }
    expect(await page.locator('main img, main b:not(.time-text b)').count()).to.equal(0)
    expect(await page.title()).to.equal('evil – Troupe')
  })

  it('at every event of a run, the graph says what the engine says', async () => {
    const dagRunId = await api.started('report')
    await api.ended('report', dagRunId)
    const { latest } = (await api.call('GET', `/dag-runs/report/${dagRunId}/actors?brief=true`)).json
    for (let at = 1; at < latest; at++) {
      const { nodes } = (await api.call('GET', `/dag-runs/report/${dagRunId}/actors?brief=true&at=${at}`)).json
      await visit(runAddress('report', dagRunId, `?at=${at}`))
      for (const { step, statusLabel } of nodes) await is(step, statusLabel)
    }
  })

  it('follows a log while it is written; what stands in it is text, never HTML', async () => {
    const dagRunId = await api.started('slow')
    await visit(runAddress('slow', dagRunId, '?step=talk&side=out'))
    const log = page.getByRole('log')
    await log.getByText('line 1 <script>').waitFor()
    const before = (await log.textContent())?.split('\n').length ?? 0
    await eventually(
      'more lines',
      async () => ((await log.textContent())?.split('\n').length ?? 0) > before + 3 || undefined
    )
    expect(await page.title()).to.equal('slow – Troupe')
    expect(await page.locator('script:not([src])').count()).to.equal(0)
    await button('Stop').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop the run' }).click()
    await runIs('canceled')
    await is('talk', 'canceled')
  })

  it('a log that grows by more than one answer holds has every line, and the right number of those before', async () => {
    api.write('burst', 'steps:\n  - name: talk\n    command: echo begin; sleep 3; seq 1 35000; sleep 2; echo end\n')
    const dagRunId = await api.started('burst')
    await visit(runAddress('burst', dagRunId, '?step=talk&side=out'))
    const log = page.getByRole('log')
    await log.getByText('begin').waitFor()
    await runIs('succeeded')
    await page.getByText('The last 20000 lines; 15002 come before.').waitFor()
    const lines = (await log.textContent())?.split('\n') ?? []
    expect(lines).to.deep.equal([...Array.from({ length: 19_999 }, (_, at) => String(15_002 + at)), 'end'])
  })

  it('follows the log of a step that begins later, of a large run too', async () => {
    const others = Array.from({ length: 110 }, (_, at) => `  - {name: s${at}, command: 'true'}\n`).join('')
    const talk =
      '  - {name: wait, command: sleep 4}\n  - {name: talk, command: echo begins; sleep 600, depends: wait}\n'
    api.write('wide', `type: graph\nsteps:\n${others}${talk}`)
    const dagRunId = await api.started('wide')
    await visit(runAddress('wide', dagRunId, '?step=talk&side=out'))
    await page.getByText('It is empty.').waitFor()
    await page.getByRole('log').getByText('begins').waitFor()
    await api.call('POST', `/dag-runs/wide/${dagRunId}/stop`)
    await runIs('canceled')
  })

  it('after a retry the log is that of the new attempt', async () => {
    const command = 'test -f $DAG_RUN_ID.again && echo second && exit; touch $DAG_RUN_ID.again; seq 1 10; exit 1'
    api.write('again', `steps:\n  - name: talk\n    command: ${command}\n`)
    const dagRunId = await api.started('again')
    await visit(runAddress('again', dagRunId, '?step=talk&side=out'))
    await runIs('failed')
    const log = page.getByRole('log')
    await log.getByText('10').waitFor()
    await button('Retry').click()
    await log.getByText('second').waitFor()
    expect(await log.textContent()).to.equal('second')
  })

  it('a log has the colours that its program means, and none of its escape sequences', async () => {
    const command = "printf '\\033[1;31mbroken\\033[0m <b>fine</b>'"
    api.write('colourful', `steps:\n  - name: talk\n    command: |\n      ${command}\n`)
    const dagRunId = await api.started('colourful')
    await api.ended('colourful', dagRunId)
    await visit(runAddress('colourful', dagRunId, '?step=talk&side=out'))
    const log = page.getByRole('log')
    await log.locator('.ink-red').waitFor()
    expect(await log.textContent()).to.equal('broken <b>fine</b>')
    expect(await log.locator('.ink-red.strong').textContent()).to.equal('broken')
    expect(await seriousFindings(page), 'its colours').to.deep.equal([])
  })

  it('says why a node waits, why one failed and why one never began', async () => {
    const waiting = await api.started('report')
    await visit(runAddress('report', waiting, '?step=check'))
    await page
      .locator('.why .waits')
      .getByText(/waits .* for retry 1 of 2/)
      .waitFor()
    const failed = await api.started('failing')
    await visit(runAddress('failing', failed, '?step=after'))
    await page
      .locator('.why')
      .getByText(/breaks/)
      .waitFor()
    await runIs('failed')
    await button('To the first failure').click()
    await is('breaks', 'failed')
    await is('after', 'not_started')
    await api.ended('report', waiting)
  })

  it('sets the status of a step, runs it again, retries a run and runs it anew', async () => {
    const dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
    await visit(runAddress('failing', dagRunId, '?step=breaks'))
    await page.getByLabel('Status to set').selectOption('succeeded')
    await button('Set status').click()
    await is('breaks', 'succeeded')
    await button('Run this step again').click()
    await settled('failing', dagRunId)
    await is('breaks', 'failed')
    await button('Retry').click()
    await page.getByText('It runs again from where it failed.').waitFor()
    await settled('failing', dagRunId)
    await runIs('failed')
    await button('Run anew').click()
    await page.waitForURL((url) => !url.href.includes(dagRunId))
    await is('breaks', 'failed')
  })

  it('a run that ends while the page asks for it is shown as ended, with what may be done then', async () => {
    api.write('short', 'steps: ["sleep 0.5; exit 1"]')
    const dagRunId = await api.started('short')
    await page.route(/\/actors\?brief=true/, async (route) => {
      await api.ended('short', dagRunId)
      await route.continue()
    })
    await visit(runAddress('short', dagRunId))
    await runIs('failed')
    await button('Retry').and(page.locator('[aria-disabled=false]')).waitFor()
  })

  it('a run that is taken out of its queue, here or elsewhere, is gone: it is not shown as waiting', async () => {
    const first = await api.started('slow')
    const enqueued = async (): Promise<string> => (await api.call('POST', '/dags/slow/enqueue')).json.dagRunId
    const gone = (dagRunId: string) => page.locator('.empty').getByText(`no run ${dagRunId} of slow`).waitFor()
    const [here, elsewhere] = [await enqueued(), await enqueued()]
    await visit(runAddress('slow', here))
    await button('Take out of the queue').click()
    await gone(here)
    await visit(runAddress('slow', elsewhere))
    await runIs('queued')
    await api.call('POST', `/dag-runs/slow/${elsewhere}/dequeue`)
    await gone(elsewhere)
    await api.call('POST', `/dag-runs/slow/${first}/stop`)
    await api.ended('slow', first)
  })

  it('a run that has another name since its definition was renamed is not there any more for whoever acts on it', async () => {
    api.write('before', 'steps: ["true"]')
    const dagRunId = await api.started('before')
    await api.ended('before', dagRunId)
    await visit(runAddress('before', dagRunId))
    await runIs('succeeded')
    expect((await api.call('POST', '/dags/before/rename', { body: { newFileName: 'behind' } })).status).to.equal(200)
    await button(/^Retry/).click()
    await page.getByRole('link', { name: 'All runs' }).waitFor()
    expect(await page.getByRole('alert').textContent()).to.contain(`no run ${dagRunId} of before`)
  })

  it('shows what is not possible now, greyed and with its reason', async () => {
    const dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
    await visit(runAddress('failing', dagRunId))
    const stop = button(/^Stop/)
    expect(await stop.getAttribute('aria-disabled')).to.equal('true')
    await stop.click({ force: true })
    await page.getByText('Not now: it is failed.').waitFor()
    await visit('#/definitions')
    expect(await button(/^Start broken/).getAttribute('title')).to.equal('it has problems')
  })

  it('lists runs as they come, by name and status, and leads to them', async () => {
    await visit('#/runs')
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    const dagRunId = await api.started('failing', { dagRunId: 'seen-live' })
    await page.getByRole('row', { name: /seen-live/ }).waitFor()
    await page.getByLabel('Status').selectOption('failed')
    await page.getByLabel('Name').fill('fail')
    await page.waitForURL(/name=fail/)
    await page.locator('tr:has-text("seen-live") .status.s-failed').waitFor()
    expect(await page.locator('tbody .status.s-succeeded').count()).to.equal(0)
    await page.locator('tr:has-text("seen-live") a').click()
    await page.waitForURL(new RegExp(`#/runs/failing/${dagRunId}`))
  })

  it('runs come in parts: the newest first, older ones when somebody wants them', async () => {
    const ids = Array.from({ length: 53 }, (_, at) => `part-${at}`)
    for (const dagRunId of ids)
      await api.startedInline({ spec: 'maxActiveRuns: 100\nsteps: ["true"]', name: 'parts', dagRunId })
    await visit('#/runs?name=parts')
    await page.getByRole('row', { name: /part-52/ }).waitFor()
    expect(await page.locator('tbody tr').count()).to.equal(50)
    await button('Older runs').click()
    await page.getByRole('row', { name: /part-0\b/ }).waitFor()
    expect(await page.locator('tbody tr').count()).to.equal(53)
    await button('Older runs').waitFor({ state: 'detached' })
  })

  it('says of a queue why the first run that waits in it has to, and which run holds it back', async () => {
    const running = await api.started('slow')
    const { dagRunId } = (await api.call('POST', '/dags/slow/enqueue', { body: {} })).json
    await visit('#/queues')
    const why = page.getByRole('region', { name: 'Why it waits' })
    await why.getByText('1 run of slow is at work (maxActiveRuns 1)').waitFor()
    expect(await why.getByRole('link').getAttribute('href')).to.equal(`#/runs/slow/${running}`)
    await api.call('POST', `/dag-runs/slow/${dagRunId}/dequeue`)
    await why.waitFor({ state: 'detached' })
    await api.call('POST', `/dag-runs/slow/${running}/stop`)
    await api.ended('slow', running)
  })

  it('draws every chart by itself, the scheduler and the queue, too; a state tells what it is for', async () => {
    const { machines } = (await api.call('GET', '/machines')).json
    for (const { id, description } of machines) {
      await visit(`#/machines/${id}`)
      await page.getByText(description).waitFor()
      const chart = (await api.call('GET', `/machines/${id}`)).json
      const [state] = chart.states
      const drawn = page.locator(`.state[data-state="${state.path}"]`)
      await drawn.focus()
      await page.keyboard.press('Enter')
      await page
        .getByRole('region', { name: `State ${state.path}` })
        .getByText(state.description)
        .waitFor()
    }
    expect(machines.map(({ id }: { id: string }) => id)).to.include.members(['run', 'node', 'queue', 'scheduler'])
  })

  it('tells when a definition runs next, in the list and on its own page', async () => {
    api.write('nightly', 'schedule: "0 2 1 1 *"\nsteps: ["true"]')
    await visit('#/definitions')
    await page.getByRole('row', { name: NEXT_YEAR }).waitFor()
    await visit('#/definitions/nightly')
    await page.locator('.facts').getByText(NEXT_YEAR).waitFor()
    await page.getByText('0 2 1 1 *').waitFor()
  })

  it('puts a run into its queue, and suspends a definition and lets it go on', async () => {
    await visit('#/definitions/failing')
    await button('Start').click()
    await page.getByLabel(/Wait in the queue/).check()
    await button('Put into the queue').click()
    await page.waitForURL(/#\/runs\/failing\//)
    await page.locator('.run-head h1').waitFor()
    await visit('#/queues')
    await page.getByRole('heading', { name: 'Queues' }).waitFor()
    await visit('#/definitions/failing')
    await button(/^Suspend/).click()
    await button(/^Resume/).click()
    await button(/^Suspend/).waitFor()
  })

  it('shows the problems of a definition beside their lines', async () => {
    await visit('#/definitions/broken')
    const bad = page.locator('.spec .bad')
    await bad.waitFor()
    expect(await bad.textContent()).to.match(/^4 {4}colour: red.*colour/)
  })

  it('is used with keys alone: the graph, the tabs, the slider, a dialog', async () => {
    const dagRunId = await api.started('report')
    await api.ended('report', dagRunId)
    await visit(runAddress('report', dagRunId))
    await box('fetch').focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/step=fetch/)
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/step=check/)
    expect(await page.evaluate(`document.activeElement?.id`)).to.equal('dag-check')
    await page.getByRole('tab', { name: 'Facts' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/side=chart/)
    await page.getByRole('tab', { name: 'Events' }).press('Enter')
    await page.getByRole('listbox').press('ArrowUp')
    await page.waitForURL(/at=\d+/)
    await page.getByRole('slider').press('End')
    await page.waitForURL((url) => !url.href.includes('at='))
    await visit('#/definitions/report')
    await button('Start').press('Enter')
    await page.getByRole('dialog').getByLabel('Parameters').waitFor()
    expect(await seriousFindings(page), 'the dialog').to.deep.equal([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('loses nothing when the connection drops: it goes on from the latest event it has', async () => {
    const cable = await openCable(api.port)
    const dagRunId = await api.started('slow')
    await page.goto(`http://127.0.0.1:${cable.port}/${runAddress('slow', dagRunId, '?view=events')}`)
    await page.getByText('live', { exact: true }).waitFor()
    await page.locator('.event-seq').first().waitFor()
    const asked: number[] = []
    page.on('request', (request) => {
      if (request.url().endsWith(`/${dagRunId}/events`)) asked.push(Number(request.headers()['last-event-id']))
    })
    cable.cut()
    await page.getByText('connection lost, trying again').waitFor()
    const { latest } = (await api.call('GET', `/dag-runs/slow/${dagRunId}/journal`)).json
    await api.call('POST', `/dag-runs/slow/${dagRunId}/stop`)
    await api.ended('slow', dagRunId)
    cable.mend()
    await runIs('canceled')
    const { events } = (await api.call('GET', `/dag-runs/slow/${dagRunId}/journal`)).json
    const shown = await eventually('all events', async () => {
      const seqs = await page.locator('.event-seq').allTextContents()
      return seqs.length === events.length ? seqs : undefined
    })
    expect(shown).to.deep.equal(events.map(({ seq }: { seq: number }) => String(seq)))
    expect(events.length).to.be.greaterThan(latest)
    // Each time it has asked for what comes after the latest event that it had (Last-Event-ID).
    expect(asked[0]).to.equal(latest)
    expect(asked.every((after) => after >= latest)).to.equal(true)
    cable.close()
  })

  it('ten tabs are open at once: those that nobody sees hold no connection, and know all when they are seen again', async () => {
    const context = page.context()
    // A browser without a window shows all of its tabs.
    await context.addInitScript({ content: TURNING })
    const turnTo = (tab: Page, state: string) => tab.evaluate(`turnTo('${state}')`)
    const dagRunId = await api.started('slow')
    const events = page.locator('.event-seq')
    await visit(runAddress('slow', dagRunId, '?view=events'))
    await events.first().waitFor()
    await turnTo(page, 'hidden')
    for (let count = 0; count < 9; count++) {
      const tab = await context.newPage()
      await tab.goto(`http://127.0.0.1:${api.port}/#/definitions/slow?tab=runs`)
      await tab.getByRole('link', { name: 'slow' }).first().waitFor()
      await turnTo(tab, 'hidden')
    }
    await api.call('POST', `/dag-runs/slow/${dagRunId}/stop`)
    await api.ended('slow', dagRunId)
    await turnTo(page, 'visible')
    await runIs('canceled')
    const { events: kept } = (await api.call('GET', `/dag-runs/slow/${dagRunId}/journal`)).json
    await eventually('all events', async () => (await events.count()) === kept.length || undefined)
  })

  it('a definition that is removed while one looks at it is gone; one that is written anew is shown as it is', async () => {
    api.write('passing', 'description: The first text\nsteps: ["true"]')
    await visit('#/definitions/passing?tab=text')
    const text = page.locator('.spec')
    await text.getByText('The first text').waitFor()
    api.write('passing', 'description: Another text\nsteps: ["true"]')
    // The page looks again with any run, and now and then.
    const aRun = async () => api.ended('failing', await api.started('failing'))
    await aRun()
    await text.getByText('Another text').waitFor()
    expect((await api.call('DELETE', '/dags/passing')).status).to.equal(204)
    await aRun()
    await page.getByRole('link', { name: 'All definitions' }).waitFor()
    expect(await page.getByRole('alert').textContent()).to.contain('passing')
    expect(await button(/^Start/).count()).to.equal(0)
  })

  it('a tag that no definition has any more is still said to be what is filtered by; a new one can be chosen', async () => {
    const choice = page.getByLabel('Tag')
    await visit('#/definitions?tag=gone')
    await page.getByText('No definition is like that.').waitFor()
    expect(await choice.inputValue()).to.equal('gone')
    api.write('labelled', 'tags: [fresh]\nsteps: ["true"]')
    await choice.locator('option', { hasText: 'fresh' }).waitFor({ state: 'attached' })
    await choice.selectOption('fresh')
    await page.getByRole('link', { name: 'labelled' }).waitFor()
  })

  it('a page of definitions beyond the last is the last', async () => {
    await visit('#/definitions?page=7')
    await page.getByRole('link', { name: 'report' }).waitFor()
  })

  it('shows an error of the server in its own words', async () => {
    await visit('#/runs/nobody/nothing')
    await page.getByRole('alert').getByText('no run nothing of nobody').waitFor()
    await visit('#/definitions/nobody')
    await page.getByRole('alert').waitFor()
    await visit('#/nowhere')
    await page.getByText('There is no such view').waitFor()
  })

  it('remembers whether it is light or dark', async () => {
    await visit('#/runs')
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const system = await ground()
    await button('Colours: as the system has them').click()
    await button('Colours: light').click()
    await button('Colours: dark').waitFor()
    const dark = await ground()
    expect(dark).to.not.equal(system)
    await page.reload()
    await button('Colours: dark').waitFor()
    expect(await ground()).to.equal(dark)
  })

  const VIEWS = ['#/runs', '#/definitions', '#/queues', '#/machines', '#/definitions/report', '#/definitions/broken']
  const SIDES = [
    '',
    '?step=breaks',
    '?side=chart',
    '?step=breaks&side=err',
    '?view=steps',
    '?view=events&at=3',
    '?view=messages'
  ]

  /** Each view in turn, once there is nothing more to come. */
  async function everyView(look: (view: string) => Promise<unknown>): Promise<void> {
    const dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
    for (const view of [...VIEWS, ...SIDES.map((query) => runAddress('failing', dagRunId, query))]) {
      await visit(view)
      await page.locator('h1').first().waitFor()
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
      await look(view)
    }
  }
  const WIDTHS = [
    [1280, 'light'],
    [390, 'dark']
  ] as const
  for (const [width, colorScheme] of WIDTHS)
    it(`at ${width} px, ${colorScheme}: nothing serious is in the way of anybody`, async () => {
      await page.setViewportSize({ width, height: 840 })
      await page.emulateMedia({ colorScheme })
      await everyView(async (view) => {
        await keepPicture(page, `${width} ${colorScheme} ${view.replace(/\/failing\/[^?]+/, '/run')}`)
        expect(await seriousFindings(page), view).to.deep.equal([])
      })
    })
  it('a name as long as the name of a file is not wider than the page', async () => {
    api.write('n'.repeat(200), 'steps: ["true"]')
    await visit('#/definitions')
    await page.getByRole('link', { name: 'nnn' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).to.equal(0)
    unlinkSync(join(api.engine.config.dagsDir, `${'n'.repeat(200)}.yaml`))
  })

  it('nothing is wider than a screen of 320 px', async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    await everyView(async (view) => {
      expect(await page.evaluate('document.documentElement.scrollWidth'), view).to.be.at.most(320)
    })
  })
})
