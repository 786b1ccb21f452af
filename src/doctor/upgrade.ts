/**
 * What to know before this release takes over a home from another one: who has it, what is open in it, whether there is a way back.
 * Problems of settings and definitions under this release are found by the examination itself. See docs/operating/upgrade.md.
 */
import { existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { everyNodeOf, runRecord } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import { STORE_VERSION, writtenBy } from '../store/store-version.ts'
import { workersIn } from '../store/tables/workers.ts'
import { VERSION } from '../version.ts'
import type { Finding, Premises } from './finding.ts'
import { executingAttempt } from './left-behind.ts'

const MIB = 1024 ** 2
/** Free space that an engine wants beside the store, bytes. */
const SPARE = 512 * MIB

// D1487: what to know before an upgrade is said by the new release, and a backup is named
/** @param engine process id of the engine that is running */
export function* beforeUpgrade(store: Store, config: Premises, engine: number | undefined): Generator<Finding> {
  const { version = STORE_VERSION, release = 'an older release' } = writtenBy(store.root)
  yield note(
    `the home is of ${named(release)} (store version ${version}); this is Troupe ${VERSION} (store version ${STORE_VERSION})`,
    version < STORE_VERSION
      ? 'the first start of this release raises the version: after that, older releases refuse the home, and only a backup leads back'
      : 'nothing is converted: the release before can take the home back'
  )
  if (engine !== undefined)
    yield note(
      `the engine with process id ${engine} is running (${named(release)})`,
      'end it with SIGTERM and start this release on the same home: steps that are at work go on meanwhile'
    )
  yield* openWork(store)
  yield* space(config)
  yield* otherWorkers(store)
}

const note = (message: string, mending: string): Finding => ({ check: 'upgrade', severity: 'note', message, mending })
const named = (release: string) => (/^\d/.test(release) ? `Troupe ${release}` : release)

function* openWork(store: Store): Generator<Finding> {
  const counts = { running: 0, queued: 0, working: 0, waiting: 0 }
  for (const [name, dagRunId] of store.open.getKeys()) {
    const record = runRecord(store, { name, dagRunId })
    if (record?.status === 'queued') counts.queued++
    if (record?.status !== 'running') continue
    counts.running++
    for (const node of everyNodeOf(store, record).values())
      if (node.open) counts[executingAttempt(node) === undefined ? 'waiting' : 'working']++
  }
  const { running, queued, working, waiting } = counts
  if (running + queued === 0) yield note('no run is open', 'nothing has to be gone on with')
  else
    yield note(
      `${running} runs are running and ${queued} are queued, with ${working} steps at work and ${waiting} that wait`,
      'this release goes on with them: nothing has to end before'
    )
}

function* space({ dataDir }: Premises): Generator<Finding> {
  const path = join(dataDir, 'troupe.mdb')
  if (!existsSync(path)) return
  const { bavail, bsize } = statfsSync(dataDir)
  const size = statSync(path).blocks * BLOCK
  const free = bavail * bsize
  if (free < size + SPARE)
    yield {
      check: 'upgrade',
      severity: 'warning',
      message: `${Math.floor(free / MIB)} MiB are free on the disk of ${dataDir}, and the store takes ${Math.ceil(size / MIB)} MiB`,
      mending: 'make room first: the way back needs the store a second time'
    }
}

/** Size of a block of `stat`, whatever the file system has. */
const BLOCK = 512

function* otherWorkers(store: Store): Generator<Finding> {
  for (const { home, worker } of workersIn(store)) {
    const { id = home, version } = worker.self ?? {}
    if (version === undefined || version === VERSION) continue
    const message = `worker ${id} is of Troupe ${version}${worker.refusal ? `, and is refused: ${worker.refusal}` : ''}`
    const mending =
      'update it after the server: troupe worker drain, then this release in the same home; until then it serves if the protocols agree'
    yield { check: 'upgrade', severity: worker.refusal ? 'warning' : 'note', message, mending }
  }
}
