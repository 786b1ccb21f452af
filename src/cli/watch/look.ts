/** What runs, waits and has ended, read again and again; an engine that goes is waited for. */
import { RUN_ENDS } from '../../../machines/vocabulary/lists.ts'
import type { Queue, RunSummary } from '../../client/index.ts'
import type { Settings } from '../../config.ts'
import type { CliContext } from '../context.ts'
import { runsOf } from '../owner/known-runs.ts'
import { openToRead } from '../owner/open-client.ts'
import type { OpenClient } from '../owner/opened.ts'

export interface Overview {
  /** Address or home. */
  place: string
  /** An engine is there; else runs stand still. */
  isServed: boolean
  /** Running and queued ones first, then the newest. */
  runs: RunSummary[]
  /** How many failed in the last 24 hours. */
  failures: number
  /** With runs in them. */
  queues: Queue[]
}

export interface Looking {
  /** @throws TroupeError: nobody is there, or nothing has run */
  look(): Promise<Overview>
  /** For a request; undefined: nobody could do it. */
  readonly client: OpenClient | undefined
  close(): Promise<void>
}

const ENDED = 200
const ACTIVE = 1_000
const DAY_MS = 86_400_000

export function openLooking(context: CliContext, settings: Settings): Looking {
  const { clock } = context
  let client: OpenClient | undefined

  async function leave(): Promise<void> {
    const left = client
    client = undefined
    await left?.close()
  }

  return {
    get client() {
      return client
    },
    async look() {
      // A store that is read here shows nothing new, and an engine may have come.
      if (client?.here) await leave()
      client ??= await openToRead(context, settings)
      try {
        const { api, here, home } = client
        const [active, ended, failed, { queues }] = await Promise.all([
          runsOf(api, { status: ['running', 'queued'] }, ACTIVE),
          runsOf(api, { status: [...RUN_ENDS] }, ENDED),
          runsOf(api, { status: ['failed'], from: clock.now() - DAY_MS }, ACTIVE),
          api.listQueues()
        ])
        const running = active.filter(({ statusLabel }) => statusLabel === 'running')
        const queued = active.filter(({ statusLabel }) => statusLabel === 'queued')
        return {
          place: home,
          isServed: !here,
          failures: failed.length,
          runs: [...running, ...queued, ...ended],
          queues: queues.filter((queue) => queue.running.length + queue.queued.length > 0)
        }
      } catch (error) {
        await leave()
        throw error
      }
    },
    close: leave
  }
}
