/** What an operator finds in the morning: a nightly load that failed after nights that went well, runs at work, runs that wait. */
import type { LiveApi } from '../api/live-api.ts'

const SOURCES = ['orders', 'customers', 'prices']

/** Fails at `join` when PRICES is `new`; `publish` comes after it. */
const WAREHOUSE = `description: Loads what the shops sold
tags: [warehouse]
params: "PRICES=old DAY=monday"
type: graph
steps:
${SOURCES.map((name, at) => `  - {name: load-${name}, command: "echo loading ${name}; sleep 0.${at * 3 + 1}"}\n`).join('')}  - name: join
    command: test "$PRICES" = old || { echo "row 17 of prices has no article" >&2; exit 3; }
    depends: [${SOURCES.map((name) => `load-${name}`).join(', ')}]
  - {name: publish, command: echo published, depends: [join]}
`
const NIGHTLY = `description: Sends the figures
schedule: "CRON_TZ=America/New_York 0 2 * * *"
steps: [{name: send, command: "true"}]
`
/** Three steps that write for as long as anybody looks. */
const CHATTY = `type: graph
maxActiveSteps: 3
steps:
${['web', 'mail', 'search'].map((name) => `  - {name: ${name}, command: "i=0; while :; do i=$((i+1)); echo ${name} line $i; sleep 0.3; done"}\n`).join('')}`
const LONG = 'steps: [{name: rest, command: sleep 600}]'

export interface BusyHome {
  /** Runs of `warehouse`: the one that failed, and the last one that succeeded before it. */
  failed: string
  succeeded: string
  /** A run of `chatty` that is running; two more wait behind it. */
  chatty: string
}

/** Writes `warehouse`, `nightly`, `chatty` and `long`, and makes their runs. */
export async function busyHome(api: LiveApi): Promise<BusyHome> {
  api.write('warehouse', WAREHOUSE)
  api.write('nightly', NIGHTLY)
  api.write('chatty', CHATTY)
  api.write('long', LONG)
  const over = async (name: string, body: object) => {
    const dagRunId = await api.started(name, body)
    await api.ended(name, dagRunId)
    return dagRunId
  }
  await over('nightly', {})
  await over('warehouse', { params: 'DAY=sunday' })
  const succeeded = await over('warehouse', {})
  const failed = await over('warehouse', { params: 'PRICES=new', dagRunId: 'warehouse-0207' })
  const chatty = await api.started('chatty')
  for (const dagRunId of ['waits-1', 'waits-2']) await api.call('POST', '/dags/chatty/enqueue', { body: { dagRunId } })
  return { failed, succeeded, chatty }
}
