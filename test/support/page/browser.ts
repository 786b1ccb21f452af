/**
 * A real Chromium for the tests of a `describe`, which are skipped, to be seen, where there is none. Each page is watched: what it asks of
 * other servers, and what goes wrong in it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { IS_LONG } from '../long.ts'

// D1744: without what a window needs, a test costs a sixth less
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome'
]
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
]
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Longest wait for something to be seen. */
const PATIENCE_MS = 60_000

export interface Watched {
  page: Page
  /** Addresses of other servers that it asked. */
  strangers: string[]
  /** Errors in its scripts, and what its policy refused. */
  faults: string[]
}

/** undefined: there is no Chromium here. */
export async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = PLACES.find((path) => existsSync(path))
  return executablePath === undefined ? undefined : chromium.launch({ executablePath, args: FLAGS })
}

/** An isolated page. It is closed with its context, or its browser. */
export const watchedPage = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> =>
  watchedIn(await newContext(browser, options))

async function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  // D1744: what moves is drawn sixty times a second, by a processor that others wait for
  const own = { viewport: { width: 1280, height: 900 }, locale: 'en-US', reducedMotion: 'reduce' as const }
  const context = await browser.newContext({ ...own, ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  return context
}

async function watchedIn(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage()
  const [strangers, faults]: [string[], string[]] = [[], []]
  page.on('request', (request) => {
    const { origin } = new URL(request.url())
    if (page.url() !== 'about:blank' && origin !== new URL(page.url()).origin) strangers.push(request.url())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    // An answer that says no is shown by the page itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
  })
  return { page, strangers, faults }
}

let shared: Promise<Browser | undefined> | undefined

// D1653: a process that runs tests has one browser
/** One for all files that this process runs. It ends with the process. */
async function sharedBrowser(): Promise<Browser | undefined> {
  if ((await shared)?.isConnected() !== true) shared = openBrowser()
  return shared
}

/** Has a browser for the tests of a `describe`, and closes after them what was opened in it. @returns makes a page that shares nothing with others */
export function liveBrowser(): (options?: BrowserContextOptions) => Promise<Watched> {
  const browser = browserOfTests()
  const opened: Watched[] = []
  after(() => Promise.all(opened.map(({ page }) => page.context().close())))
  return async (options) => {
    const watched = await watchedPage(browser(), options)
    opened.push(watched)
    return watched
  }
}

function browserOfTests(): () => Browser {
  let browser: Browser | undefined
  before(async function () {
    browser = await sharedBrowser()
    if (!browser) this.skip()
  })
  return () => {
    if (!browser) throw new Error('the browser is open in tests only')
    return browser
  }
}

interface PagesInTurn {
  /** As the first of a visitor: nothing is kept of the ones before. */
  next(): Promise<Watched>
  /** Called after each test. What a test adds to all pages of the context stays: such a test closes the context. @param origin of what it looked at */
  forget(origin: string): Promise<void>
}

// D1680: pages one after another are in one context, where the next one is there before the last is closed
/** Pages for the tests of a `describe`, one for each test. */
export function pagesInTurn(): PagesInTurn {
  const browser = browserOfTests()
  let context: BrowserContext | undefined
  after(() => context?.close())
  return {
    async next() {
      if (context === undefined || context.isClosed()) context = await newContext(browser())
      const before = context.pages()
      const watched = await watchedIn(context)
      await Promise.all(before.map((page) => page.close()))
      return watched
    },
    async forget(origin) {
      const [page, ...others] = context?.pages() ?? []
      if (page === undefined || context === undefined) return
      await Promise.all(others.map((other) => other.close()))
      await page.goto('about:blank')
      const session = await context.newCDPSession(page)
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
      await context.clearCookies()
      await context.clearPermissions()
    }
  }
}

/** Where pictures of a test run are kept for those who look at it later; what is there from an earlier one is written over. */
const PICTURES = fileURLToPath(new URL('../../../screens/', import.meta.url))

/** Keeps a picture of a page, as it is now, below `dist/screens/`: in `make test` of what failed alone. @param name of the view; what no file may be called becomes a dash */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (IS_LONG || name.startsWith('failed '))
    await page.screenshot({ path: `${PICTURES}${name.replace(/[^\w=]+/g, '-').replace(/^-|-$/g, '')}.png` })
}

interface Violation {
  id: string
  impact: string | null
  nodes: { html: string; failureSummary?: string }[]
}
// D1570: axe describes what is wrong only, and the browser of the tests is as users have it
/** Only what is wrong is described and sent here: the same for all that is right takes longer than the search. */
const FIND = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`

/** Moderate for axe, but users who navigate by headings miss one. */
const WANTED_TOO: readonly string[] = ['heading-order']

/** What is serious or critical for somebody who does not see the page well, or at all: a line for each place. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Through the debugger: the page's own policy lets no foreign script in.
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(AXE)
  return (await page.evaluate<Violation[]>(FIND))
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || WANTED_TOO.includes(id))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`)
    )
}
