/** A server with a worker and runs of every kind that metrics are about. */
import { openPlacing } from '../cli/placing.ts'
import { eventually } from '../waiting.ts'
import { type ExportedMetric, exposition } from './exposition.ts'

export interface BusyServer {
  scrape(): Promise<Map<string, ExportedMetric>>
  /** As it stands on the page that a client gets. */
  address: string
  close(): Promise<void>
}

const RETRIED = 'name: retried\nsteps: [{name: a, command: exit 3, retryPolicy: {limit: 1, intervalSec: 0}}]'
const FINE =
  'name: fine\nsteps: [{name: a, command: echo a}, {name: b, executor: jq, command: ".a", script: \'{"a": 1}\'}]'
const placed = (name: string, zone: string) => `name: ${name}\nworkerSelector: {zone: ${zone}}\nsteps: [{command: env}]`

const inLine = (name: string) => `name: ${name}\nqueue: line\nmaxActiveRuns: 1\nsteps: [sleep 600]`

/** Nobody listens there. */
const NOTIFY =
  'notify: [{ name: ops, url: "http://127.0.0.1:1/", events: [run.failed], secret: a secret of enough bytes }]\n'

/** Two runs wait: one for a worker that does not come, one for a place in its queue. */
export async function busyServer(): Promise<BusyServer> {
  const placing = await openPlacing({}, undefined, NOTIFY)
  const scrape = async () => exposition(await (await fetch(`${placing.server.address}/api/v2/metrics`)).text())
  await scrape() // from now on it is measured
  placing.worker('wa', ['-l', 'zone=a'])
  await placing.healthy('wa')
  for (const spec of [RETRIED, FINE]) {
    const name = /^name: (\w+)/.exec(spec)?.[1] ?? ''
    await placing.ended(name, await placing.start(spec))
  }
  await placing.start(placed('lonely', 'b'))
  async function enqueue(spec: string): Promise<string> {
    const { json } = await placing.ask('/dag-runs/enqueue', 'POST', { spec })
    return (json as { dagRunId: string }).dagRunId
  }
  await placing.ended('placed', await enqueue(placed('placed', 'a')))
  const holder = await enqueue(inLine('held'))
  await eventually(
    'the first of them',
    async () => (await placing.run('held', holder)).statusLabel === 'running' || undefined
  )
  const next = await enqueue(inLine('behind'))
  return {
    scrape,
    address: placing.server.address,
    async close() {
      await placing.ask(`/dag-runs/behind/${next}/dequeue`, 'POST')
      // Its step would outlive the server.
      await placing.ask(`/dag-runs/held/${holder}/stop`, 'POST')
      await placing.ended('held', holder)
      await placing.close()
    }
  }
}
