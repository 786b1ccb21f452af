/** What an earlier engine has left: its lock, transactions that are not in the store yet, running steps. Source: architecture 4, 5. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NodePlace } from '../../machines/vocabulary.ts'
import { nodeFiles } from '../actors/run/log-names.ts'
import { launcherPlaces } from '../executors/launcher/launcher-folder.ts'
import { type Found, readState, stateFiles } from '../executors/processes/state-file.ts'
import { identityOf, isAlive } from '../platform/process-identity.ts'
import { unstored } from '../store/commit.ts'
import { lastOwner } from '../store/disk/lock.ts'
import { aheadFault, entriesIn } from '../store/disk/write-ahead.ts'
import { everyNodeOf, runRecord } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import type { StoredNode } from '../store/stored.ts'
import type { Finding, Premises } from './finding.ts'

/** What is looked at here. */
export const LEFT_BEHIND =
  'what an engine that has ended left behind: its lock, transactions that are not in the store, steps and helper processes'

/** For a home without a running engine. */
export function* leftBehind(store: Store, { dataDir }: Premises): Generator<Finding> {
  const owner = lastOwner(store)
  if (owner)
    yield {
      check: 'lock',
      severity: 'note',
      message: `the last engine (process ${owner.pid}) ended uncleanly`,
      mending: 'the next start continues its runs'
    }
  const ahead = join(dataDir, 'write-ahead')
  const fault = aheadFault(ahead)
  if (fault) yield { check: 'store', severity: 'error', ...fault }
  const transactions = fault ? 0 : unstored(store, entriesIn(ahead)).length
  if (transactions > 0)
    yield {
      check: 'store',
      severity: 'note',
      message: `${transactions} transactions of that engine are in the write-ahead file and not in the store yet`,
      mending: 'the next start puts them there'
    }
  yield* stepsLeft(store)
  const holders = launcherPlaces(dataDir).flatMap(livingIn)
  if (holders.length > 0)
    yield {
      check: 'processes',
      severity: 'note',
      message: `${holders.length} helper processes of that engine live on (${holders.slice(0, 5).join(', ')})`,
      mending: 'they end with their steps; the next start continues these'
    }
}

type Outlook = [severity: Finding['severity'], what: string, next: string]
/** The next start's treatment of an execution, by its record. */
const NEVER_BEGAN: Outlook = ['note', 'never began', 'the next start begins it']
const OUTLOOK: Partial<Record<Found['state'], Outlook>> = {
  alive: ['note', 'is still running', 'the next start continues it'],
  ended: ['note', 'has ended', 'the next start takes its end from its record'],
  absent: NEVER_BEGAN,
  unsent: NEVER_BEGAN,
  unknown: [
    'warning',
    'is gone, and its end was not recorded',
    'the next start does what onInterrupt says; look at the log of the step'
  ]
}

function* stepsLeft(store: Store): Generator<Finding> {
  for (const [name, dagRunId] of store.open.getKeys()) {
    const record = runRecord(store, { name, dagRunId })
    if (record?.status !== 'running') continue
    for (const [place, node] of nodesIn(store, record)) {
      const attempt = executingAttempt(node)
      if (attempt === undefined) continue
      const { state } = nodeFiles(record.nodeLogs, node.record.step)
      const outlook = OUTLOOK[readState(stateFiles(state(attempt)).latest).state]
      if (!outlook) continue
      const [severity, what, next] = outlook
      const step = typeof place === 'number' ? `step ${node.record.step}` : `handler ${place}`
      yield {
        check: 'processes',
        severity,
        message: `${step} of run ${dagRunId} of ${name} ${what}`,
        mending: next
      }
    }
  }
}

function nodesIn(store: Store, run: { name: string; dagRunId: string }): [NodePlace, StoredNode][] {
  try {
    return [...everyNodeOf(store, run)]
  } catch {
    return [] // reported as unreadable
  }
}

/** The running execution of a local step; calls have none. */
export function executingAttempt({ open }: StoredNode): number | undefined {
  const attempt = open?.children.attempt
  if (attempt?.src !== 'attempt') return undefined
  const { attempt: number }: { attempt?: unknown } = Object(attempt.input)
  return typeof number === 'number' ? number : undefined
}

function livingIn(folder: string): number[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.pid'))
    .map((file) => Number(readFileSync(join(folder, file), 'utf8')))
    .filter((pid) => {
      const identity = pid > 0 ? identityOf(pid) : undefined
      return identity !== undefined && isAlive(identity)
    })
}
