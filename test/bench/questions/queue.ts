/** How fast do 300 queued runs of one step go through a queue of width 4? And what does waiting cost, with 100,000 that wait? */
import { hasEnded, hasSucceeded } from '../client.ts'
import { percentile } from '../figures.ts'
import { type Question, scaled } from '../question.ts'
import type { Server } from '../server.ts'
import { until } from '../waiting.ts'

const RUNS = 300
/** Dagu takes more than three minutes for all of them, at the same rate. */
const PEER_SHARE = 0.2
const WAITING = 100_000
/** One after another, when all of these wait. */
const BEHIND = 2_000
/** Clients that ask at the same time. */
const CLIENTS = 8
const LIMIT_MS = 900_000

export const queue: Question = {
  name: 'queue',
  peerShare: PEER_SHARE,
  definitions: () => ({ queued: 'maxActiveRuns: 4\nsteps:\n  - name: s1\n    command: "true"\n' }),
  async ask(server, scale) {
    const count = scaled(RUNS, scale)
    const begun = performance.now()
    const waits = await enqueued(server, 'queued', count, CLIENTS)
    const accepted = (performance.now() - begun) / 1000
    const ended = await until(`${count} queued runs`, LIMIT_MS, async () => {
      const runs = (await server.client.runs('queued')).filter(hasEnded)
      return runs.length >= count ? runs : undefined
    })
    const seconds = (performance.now() - begun) / 1000
    return [
      { figure: 'throughput', unit: 'runs/s', better: 'more', value: count / seconds },
      { figure: 'enqueued', unit: 'runs/s', better: 'more', value: count / accepted },
      { figure: 'enqueue p99', unit: 'ms', better: 'less', value: percentile(waits, 99) },
      { figure: 'succeeded', unit: '%', better: 'more', value: (ended.filter(hasSucceeded).length / count) * 100 }
    ]
  }
}

export const waiting: Question = {
  name: 'waiting',
  ownOnly: true,
  definitions: () => ({ held: 'steps:\n  - name: s1\n    command: sleep 3600\n' }),
  async ask(server, scale) {
    const count = scaled(WAITING, scale)
    const before = server.tree.memory()
    const waits = await enqueued(server, 'held', count, CLIENTS)
    const { pssMiB, rssMiB, ownMiB } = server.tree.memory()
    const behind = await enqueued(server, 'held', scaled(BEHIND, scale), 1)
    return [
      { figure: `own memory with ${count} queued`, unit: 'MiB', better: 'less', value: ownMiB },
      { figure: `PSS with ${count} queued`, unit: 'MiB', better: 'less', value: pssMiB },
      { figure: 'RSS', unit: 'MiB', better: 'less', value: rssMiB },
      {
        figure: 'PSS for 1,000 of them',
        unit: 'MiB',
        better: 'less',
        value: ((pssMiB - before.pssMiB) / count) * 1_000
      },
      { figure: `enqueue p99, ${CLIENTS} clients`, unit: 'ms', better: 'less', value: percentile(waits, 99) },
      { figure: 'enqueue p50, then one after another', unit: 'ms', better: 'less', value: percentile(behind, 50) },
      { figure: 'enqueue p99, then one after another', unit: 'ms', better: 'less', value: percentile(behind, 99) }
    ]
  }
}

/** Enqueues runs and returns how long each took, ms. */
async function enqueued({ client }: Server, fileName: string, count: number, clients: number): Promise<number[]> {
  const waits: number[] = []
  let left = count
  await Promise.all(
    Array.from({ length: Math.min(clients, count) }, async () => {
      while (left-- > 0) {
        const begun = performance.now()
        await client.enqueue(fileName)
        waits.push(performance.now() - begun)
      }
    })
  )
  return waits
}
