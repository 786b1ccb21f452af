/** Whether a request of a hostile size holds up others: how long the server's thread computes before it answers `/health`, which another thread asks for. What else the machine does is not counted (D1595). Source: reliability P17. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Plant } from './planted.ts'
import { type LargeRequest, largeRequests, WIDE } from './sizes.ts'
import { openWorld, type World } from './world.ts'

export interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body: string | undefined
}
export interface Measured {
  statuses: number[]
  /** Until the last answer, ms. */
  ms: number
  /** The longest that the server's thread has computed between a question for `/health` and its answer, ms. */
  healthMs: number
}
export interface SlowFinding extends Measured {
  name: string
  wrong: string
}
export interface SlowOptions {
  /** What it may be, ms. */
  boundMs: number
  plant?: Plant
  /** Of the names of requests; default: all. */
  only?: RegExp
  progress?: (name: string, measured: Measured) => void
}

/** A machine that does much else is slow at times: a request is slow when it is so each time. */
const TRIES = 3
/** To the super user it waits for the next message of the kernel, whoever reads it. */
const KERNEL = '/proc/kmsg'

export async function slowRequests({ boundMs, plant, only = /./, progress }: SlowOptions): Promise<SlowFinding[]> {
  const world = await openWorld(plant, { wide: WIDE })
  const client = new Worker(new URL('./sizes-client.js', import.meta.url), {
    workerData: { port: world.port, health: `${world.base.v2}/health` }
  })
  const findings: SlowFinding[] = []
  try {
    const requests = largeRequests(existsSync(KERNEL) ? KERNEL : '/').filter(({ name }) => only.test(name))
    if (requests.some(({ path }) => path.includes('wide'))) await world.run('wide', 'wide-1')
    for (const request of requests) {
      const measured = await best(request)
      progress?.(request.name, measured)
      const wrong = wrongIn(request, measured)
      if (wrong !== undefined) findings.push({ name: request.name, wrong, ...measured })
    }
    return findings
  } finally {
    await client.terminate()
    await world.close()
  }

  async function best(request: LargeRequest): Promise<Measured> {
    let best: Measured | undefined
    for (let tries = 0; tries < TRIES; tries++) {
      const measured = await measure(request)
      // What is made can be made once.
      best = best && { ...best, healthMs: Math.min(best.healthMs, measured.healthMs) }
      best ??= measured
      if (best.healthMs <= boundMs) break
    }
    return best as Measured // there is at least one try
  }

  function measure({ times = 1, ...request }: LargeRequest): Promise<Measured> {
    client.postMessage({ sent: sentOf(world, request), times })
    return once(client, 'message').then(([measured]) => measured)
  }

  function wrongIn({ status }: LargeRequest, { statuses, healthMs }: Measured): string | undefined {
    if (healthMs > boundMs) return `/health came after ${healthMs} ms of computing, wanted at most ${boundMs}`
    const other = statuses.find((found) => found >= 500 || found === 0 || (status !== undefined && found !== status))
    return other === undefined ? undefined : `status ${other}`
  }
}

function sentOf(world: World, { credentials, method, path, version = 'v2', body }: LargeRequest): Sent {
  return {
    method,
    path: world.base[version] + path,
    headers: { ...world.header(credentials), 'Content-Type': 'application/json' },
    body: typeof body === 'object' ? JSON.stringify(body) : body
  }
}
