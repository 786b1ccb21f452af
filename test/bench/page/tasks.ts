/** What the main threads of pages do, as Chromium traces it. */
import type { Browser } from 'playwright-core'

/** From one look of its event loop to the next, in microseconds. */
interface Task {
  /** By the wall clock. */
  dur?: number
  /** Processor time. */
  tdur?: number
}

interface TraceEvent extends Task {
  name: string
  pid: number
  tid: number
  args?: { name?: string }
}

/** Tasks of all pages while `act` goes on. */
export async function tasksDuring(browser: Browser, act: () => Promise<unknown>): Promise<Task[]> {
  const session = await browser.newBrowserCDPSession()
  const events: TraceEvent[] = []
  // The protocol has them as records of any kind: these members are those of the format of traces.
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await session.send('Tracing.start', {
    traceConfig: { includedCategories: ['toplevel'] },
    transferMode: 'ReportEvents'
  })
  await act()
  const complete = new Promise((resolve) => session.on('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await complete
  await session.detach()
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const pages = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf)
  )
  return events.filter((event) => event.name === 'ThreadControllerImpl::RunTask' && pages.has(threadOf(event)))
}
