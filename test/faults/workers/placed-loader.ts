/** Clients of an engine with workers: they start runs, stop those that end in no other way, and remember what they have seen of each. */
import type { Random } from '../../support/random.ts'
import type { Findings } from '../suite.ts'
import type { Cluster } from './cluster.ts'
import { BURST, type Placed } from './placed-workload.ts'

/** A run, as its clients know it. */
export interface PlacedAccount {
  dag: string
  dagRunId: string
  /** It is there: its start was acknowledged, or a later answer has shown it. */
  isCertain: boolean
  /** It must end as canceled. */
  isStopped: boolean
}

export interface PlacedLoader {
  readonly accounts: PlacedAccount[]
  /** Starts runs until it is told to end, whatever answers. Resolves when all have ended, or it is told to give up. */
  load(until: { ends: AbortSignal; givesUp: AbortSignal }): Promise<void>
  /** Runs that were not seen to end. */
  open(): PlacedAccount[]
}

/** Beyond so many open runs it waits: more than the workers take at a time. */
const OPEN = 14
const PAUSE_MS = 60
const WAITS = [0, 0, 3, 12, 40, BURST]
/** A status that follows another one has a higher number, or is the same. */
const ORDER: Record<string, number> = { queued: 0, not_started: 0, running: 1 }
const ENDED = 2

type Node = { step: { name: string }; statusLabel: string }
const FINAL = new Set(['succeeded', 'partially_succeeded', 'failed', 'canceled', 'aborted', 'skipped'])

/** @param seenEnd called when a client sees that a run has ended */
export function openPlacedLoader(
  cluster: Cluster,
  workload: Record<string, Placed>,
  random: Random,
  findings: Findings,
  seenEnd: (account: PlacedAccount) => void
): PlacedLoader {
  const accounts: PlacedAccount[] = []
  /** The latest status of each run, and of each of its nodes. */
  const seen = new Map<string, string>()
  const seenNodes = new Map<string, string>()
  const names = Object.keys(workload)
  const rank = (label: string) => ORDER[label] ?? ENDED
  const isOpen = ({ dagRunId }: PlacedAccount) => rank(seen.get(dagRunId) ?? 'queued') < ENDED
  const pathOf = ({ dag, dagRunId }: PlacedAccount) => `/dag-runs/${dag}/${dagRunId}`

  async function start(): Promise<void> {
    const dag = random.pick(names)
    const account = { dag, dagRunId: `w${accounts.length + 1}`, isCertain: false, isStopped: false }
    accounts.push(account)
    const { dagRunId } = account
    const reply = await cluster.ask(`/dags/${dag}/start`, 'POST', { dagRunId, params: `P=${random.pick(WAITS)}` })
    account.isCertain = reply?.status === 200
    if (reply) findings.check(reply.status === 200, 'P1', `a start of ${dag} was answered with ${reply.status}`)
    else account.isCertain = await known(account)
    if (!account.isCertain) seen.set(dagRunId, 'never started')
  }
  /** Whether there is such a run, asked until there is an answer. */
  async function known(account: PlacedAccount): Promise<boolean> {
    for (;;) {
      const reply = await cluster.ask(pathOf(account))
      if (reply) return reply.status === 200
      await pause()
    }
  }
  async function stop(account: PlacedAccount): Promise<void> {
    const reply = await cluster.ask(`${pathOf(account)}/stop`, 'POST')
    if (reply?.status === 200) account.isStopped = true
    // One that is queued still is asked again later.
    else if (reply) findings.check(reply.status === 400, 'P21', `a stop was answered with ${reply.status}`)
  }
  const toStop = () =>
    accounts.filter((one) => workload[one.dag]?.ends === 'canceled' && one.isCertain && !one.isStopped && isOpen(one))

  function note(account: PlacedAccount, label: string): void {
    const before = seen.get(account.dagRunId)
    const isBack = before !== undefined && (rank(label) < rank(before) || (rank(before) === ENDED && before !== label))
    findings.check(!isBack, 'W6', `run ${account.dagRunId} was ${before}, and is ${label} now`)
    seen.set(account.dagRunId, label)
    if (rank(label) === ENDED && before !== label) seenEnd(account)
  }
  async function look(): Promise<void> {
    const byId = new Map(accounts.map((account) => [account.dagRunId, account]))
    for (const name of names) {
      const runs = (await cluster.ask(`/dag-runs/${name}`))?.json?.dagRuns ?? []
      for (const { dagRunId, statusLabel } of runs) {
        const account = byId.get(dagRunId)
        if (account) note(account, statusLabel)
      }
    }
    const open = accounts.filter(isOpen)
    if (open.length > 0) await lookInto(random.pick(open))
  }
  async function lookInto(account: PlacedAccount): Promise<void> {
    const nodes: Node[] = (await cluster.ask(pathOf(account)))?.json?.dagRun?.nodes ?? []
    for (const { step, statusLabel } of nodes) {
      const id = `${account.dagRunId}.${step.name}`
      const before = seenNodes.get(id)
      const isBack = before !== undefined && before !== statusLabel && FINAL.has(before)
      findings.check(!isBack, 'W6', `step ${id} was ${before}, and is ${statusLabel} now`)
      seenNodes.set(id, statusLabel)
    }
  }

  return {
    accounts,
    open: () => accounts.filter(isOpen),
    async load({ ends, givesUp }) {
      const starting = async () => {
        for (; !ends.aborted; await pause()) if (accounts.filter(isOpen).length < OPEN) await start()
      }
      const stopping = async () => {
        for (; !givesUp.aborted && !(ends.aborted && toStop().length === 0); await pause(4)) {
          const long = toStop()
          if (long.length > 0 && (ends.aborted || random.chance(0.3))) await stop(random.pick(long))
        }
      }
      const looking = async () => {
        for (; !givesUp.aborted && !(ends.aborted && !accounts.some(isOpen)); await pause()) await look()
      }
      await Promise.all([starting(), stopping(), looking()])
    }
  }
}

const pause = (times = 1) => new Promise((resolve) => setTimeout(resolve, times * PAUSE_MS))
