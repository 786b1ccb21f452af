/**
 * Examines a home, and fixes what can be fixed without losing data. It may examine while an engine is running: one read transaction
 * sees a consistent store. Fixing needs exclusive use of the home. Source: reliability P7, F13.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { messageOf, TroupeError } from '../errors.ts'
import { besideFaults, homeFault, refuseUnusable } from '../platform/home-folder.ts'
import { commit, flushed } from '../store/commit.ts'
import { lockOwner, takeLock } from '../store/disk/lock.ts'
import { faultIn } from '../store/disk/store-file.ts'
import { entriesIn, openWriteAhead } from '../store/disk/write-ahead.ts'
import { knownExecutors } from '../store/host-executors.ts'
import { openStore, type Store } from '../store/open.ts'
import { auditProblems } from './audit-chain.ts'
import { definitionProblems } from './definition-problems.ts'
import { diskProblems, permissionProblems } from './disk.ts'
import type { Finding, Premises } from './finding.ts'
import { brokenIndexes } from './index-laws.ts'
import { LEFT_BEHIND, leftBehind } from './left-behind.ts'
import { logProblems, orphanedLogs } from './log-files.ts'
import { lostFiles, setAsideStores } from './lost-files.ts'
import { RESTORE, type Reads, readsOf } from './reads.ts'
import { brokenRuns } from './run-laws.ts'
import { unreadableEntries } from './tables.ts'
import { undelivered } from './undelivered.ts'
import { unsupportedSteps } from './unsupported-steps.ts'
import { beforeUpgrade } from './upgrade.ts'

export interface Diagnosis {
  /** Process id of the running engine. Absent together with `runs`: unknown. */
  engine?: number
  /** Number of stored runs; absent: the store cannot be read. */
  runs?: number
  /** What can only be looked at while no engine is running. */
  notExamined: string[]
  /** Current problems. */
  findings: Finding[]
  /** Fixed problems. */
  fixed: Finding[]
}

/** Rounds of fixes: one may uncover the next, as an entry that was set aside is still in the indexes. */
const PASSES = 3

// D851: the doctor only repairs what loses nothing
/** Examines without changes. @param upgrade also what to know before this release takes over @throws TroupeError for wrong settings */
export async function examine(config: Premises, clock: Clock, upgrade = false): Promise<Diagnosis> {
  const fault = homeFault(config, 'read')
  if (fault) return { notExamined: [], findings: [{ check: 'permissions', severity: 'error', ...fault }], fixed: [] }
  const { store, isMissing, findings } = openedStore(config, true)
  try {
    if (!store)
      return {
        ...(isMissing ? { runs: 0 } : {}),
        notExamined: [],
        findings: [...besidesStore(config, clock), ...findings],
        fixed: []
      }
    const reads = readsOf(store)
    const beside = besidesStore(
      config,
      clock,
      reads.of(() => knownExecutors(store))
    )
    const owner = reads.of(() => lockOwner(store))
    const found = [
      ...ofStore(store, reads, config, clock, owner !== undefined),
      ...(await auditProblems(store, config))
    ]
    const runs = reads.of(() => store.runs.getKeysCount())
    const before = upgrade ? reads.all(() => beforeUpgrade(store, config, owner?.pid)) : []
    const all = [...before, ...beside, ...findings, ...found]
    const damages = reads.damages()
    return {
      ...(owner ? { engine: owner.pid } : {}),
      ...(runs === undefined ? {} : { runs }),
      notExamined: owner ? [LEFT_BEHIND] : [],
      findings: [...(damages.length > 0 ? all.map(withoutFix) : all), ...damages],
      fixed: []
    }
  } finally {
    await store?.root.close()
  }
}

/** Fixes what it can, then examines again. @throws TroupeError service_unavailable: an engine is running */
export async function fixHome(config: Premises, clock: Clock): Promise<Diagnosis> {
  refuseUnusable(config, 'write')
  const { store } = openedStore(config, false)
  const fixed: Finding[] = []
  if (store) {
    let unlock = () => {}
    try {
      if (isDamaged(store)) return await examine(config, clock)
      unlock = takeLock(store)
      await takeOver(store, config)
      for (let pass = 0; pass < PASSES; pass++) {
        const fixable = storeLaws(store, readsOf(store)).filter(({ fix }) => fix)
        if (fixable.length === 0) break
        store.root.transactionSync(() => {
          for (const { fix } of fixable) fix?.()
        })
        for (const finding of fixable) fixed.push(finding)
      }
      await store.root.flushed
    } finally {
      unlock()
      await store.root.close()
    }
  }
  for (const finding of besidesStore(config, clock)) {
    if (!finding.fix) continue
    finding.fix()
    fixed.push(finding)
  }
  return { ...(await examine(config, clock)), fixed }
}

/** Recovers as the next start would, because the laws hold for the store after that. */
async function takeOver(store: Store, { dataDir }: Premises): Promise<void> {
  const path = join(dataDir, 'write-ahead')
  const left = entriesIn(path)
  if (left.length === 0) return
  await commit(store, left, { again: true })
  await flushed(store)
  openWriteAhead(path).close()
}

export function besidesStore(config: Premises, clock: Clock, executors: readonly string[] = []): Finding[] {
  return [
    ...settingProblems(config),
    ...besideFaults(config).map((fault) => ({ check: 'permissions', severity: 'error', ...fault }) as const),
    ...lostFiles(config),
    ...setAsideStores(config),
    ...diskProblems(config),
    ...permissionProblems(config),
    ...definitionProblems(config, clock, executors)
  ]
}

function* settingProblems({ warnings, unsupported }: Premises): Generator<Finding> {
  for (const message of warnings)
    yield {
      check: 'configuration',
      severity: 'warning',
      message,
      mending: 'troupe config shows where each value comes from'
    }
  for (const key of unsupported)
    yield {
      check: 'configuration',
      severity: 'error',
      message: `not supported yet: ${key}`,
      mending: 'take it out: an engine does not start with it'
    }
}

const storeLaws = (store: Store, reads: Reads): Finding[] => [
  ...unreadableEntries(store, reads),
  ...reads.all(() => brokenRuns(store)),
  ...reads.all(() => brokenIndexes(store))
]

/** Errors of a store, without warnings; for a copy of one. */
export function storeProblems(store: Store): string[] {
  const reads = readsOf(store)
  return [...storeLaws(store, reads), ...reads.damages()]
    .filter(({ severity }) => severity === 'error')
    .map(({ message }) => message)
}

/** A finding in a home whose store is damaged: nothing is fixed there. */
const withoutFix = ({ fix, mending, ...finding }: Finding): Finding => ({
  ...finding,
  mending: fix ? RESTORE : mending
})

/** Nothing is fixed in a damaged store: indexes cannot be derived from incomplete data. */
function isDamaged(store: Store): boolean {
  const reads = readsOf(store)
  storeLaws(store, reads)
  return reads.damages().length > 0
}

const ofStore = (store: Store, reads: Reads, config: Premises, clock: Clock, isOwned: boolean): Finding[] => [
  ...storeLaws(store, reads),
  ...reads.all(() => logProblems(store, config, clock, isOwned)),
  ...reads.all(() => unsupportedSteps(store)),
  ...reads.all(() => undelivered(store)),
  ...(isOwned ? [] : reads.all(() => leftBehind(store, config)))
]

/** Without a store it is missing or unusable; the findings say why. */
function openedStore(
  { dataDir, logDir }: Premises,
  readOnly: boolean
): { store?: Store; isMissing?: true; findings: Finding[] } {
  const path = join(dataDir, 'troupe.mdb')
  const finding = (severity: Finding['severity'], message: string, mending: string): { findings: Finding[] } => ({
    findings: [{ check: 'store', severity, message, mending }]
  })
  const orphaned = existsSync(path) ? 0 : orphanedLogs({ logDir })
  if (orphaned > 0)
    return finding(
      'error',
      `the store ${path} is gone: there are logs of ${orphaned} run${orphaned === 1 ? '' : 's'} in ${logDir}`,
      'put it back, or restore a backup (troupe restore DIR --replace), before anything is started: the next start makes an empty store'
    )
  if (!existsSync(path))
    return { isMissing: true, ...finding('note', 'there is no store yet', 'the first start makes it') }
  const fault = faultIn(path, readOnly)
  if (fault) return finding('error', fault.message, fault.mending)
  try {
    return { store: openStore(dataDir, { readOnly }), findings: [] }
  } catch (error) {
    if (error instanceof TroupeError) return finding('error', error.message, 'nothing has been changed')
    return finding('error', `the store cannot be opened: ${messageOf(error)}`, RESTORE)
  }
}
