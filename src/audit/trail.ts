/**
 * Writes the audit log of a home, whose owner is its only writer. An entry is appended before what it says is acknowledged; files are
 * flushed, and the store is told of the latest entry, once a second. Source: docs/operating/audit.md.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Clock, everyNowAndThen, inAWhile } from '../clock.ts'
import { messageOf, TroupeError } from '../errors.ts'
import type { Store } from '../store/open.ts'
import { type Appender, openAppender } from './appender.ts'
import type { Audit } from './audit.ts'
import { bounded, type Mask } from './bounded.ts'
import { DROPPED, type NewEntry } from './entry.ts'
import { folding } from './folding.ts'
import { headIn, headKeeper } from './head.ts'
import { dropFiles, outdated } from './retention.ts'

export interface TrailOptions {
  dir: string
  store: Pick<Store, 'root'>
  clock: Clock
  /** 0: nothing is dropped. */
  retentionDays: number
  /** `note` also waits for the flush. */
  strict: boolean
  mask: Mask
  /** Told of what the operator has to know. */
  report(sentence: string, cause?: unknown): void
}

const FLUSH_MS = 1_000
const RETRY_MS = 500
const RETENTION_MS = 6 * 3_600_000

// D1456, D1459: lines of JSON in files, each with the hash of the one before; an entry is appended before its change is acknowledged
/** Never throws: a log that cannot be opened refuses changes until it can. */
export function openTrail(options: TrailOptions): Audit {
  const { dir, store, clock, strict, mask, report } = options
  const keepHead = headKeeper(store)
  const answers = new AsyncLocalStorage<{ isOver: boolean }>()
  let appender: Appender | undefined
  /** Entries that could not be written yet, with their times. */
  let waiting: { entry: NewEntry; at: string }[] = []
  let stuck: string | undefined
  let cancelRetry: (() => void) | undefined
  let cancelFlush: (() => void) | undefined
  let flushing: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  const folded = folding(clock, (entry) => enter(entry))
  const endRetention = everyNowAndThen(RETENTION_MS, retain)

  function opened(): Appender {
    appender ??= openAppender(dir, headIn(store), report)
    return appender
  }

  /** Writes all that waits, in its order. @throws the reason of the disk */
  function write(): void {
    if (waiting.length === 0 && stuck === undefined) return
    try {
      opened().append(waiting)
    } catch (cause) {
      const reason = messageOf(cause)
      if (stuck === undefined) report(`the audit log cannot be written, and changes are refused: ${reason}`, cause)
      stuck = reason
      cancelRetry ??= inAWhile(RETRY_MS, () => {
        cancelRetry = undefined
        tryAgain()
      })
      throw cause
    }
    waiting = []
    if (stuck !== undefined) report('the audit log is written again')
    stuck = undefined
    flushSoon()
  }

  function flushSoon(): void {
    cancelFlush ??= inAWhile(FLUSH_MS, () => void flush().catch(notFlushed))
  }
  const notFlushed = (cause: unknown) => report('the audit log is not flushed', cause)

  const endRetry = () => {
    cancelRetry?.()
    cancelRetry = undefined
  }

  function tryAgain(): void {
    try {
      write()
    } catch {
      // The failure was reported, and writing is tried again.
    }
  }

  /** Flushes follow one another: calls during a flush share the next one. */
  function flush(): Promise<void> {
    cancelFlush?.()
    cancelFlush = undefined
    next ??= flushing
      .catch(() => {})
      .then(async () => {
        next = undefined
        const head = await appender?.flush()
        if (head) await keepHead(head)
      })
    flushing = next
    return next
  }

  function enter(entry: NewEntry): void {
    const { before, after } = entry
    waiting.push({
      at: new Date(clock.now()).toISOString(),
      entry: {
        ...entry,
        ...(before ? { before: bounded(before) } : {}),
        ...(after ? { after: bounded(after) } : {})
      }
    })
    tryAgain()
  }

  /** What is dropped is in the log first. */
  async function dropOld(): Promise<void> {
    const found = outdated(options, clock.now())
    if (!found) return
    enter({ ...BY_ENGINE, operation: DROPPED, outcome: 'done', after: found.through })
    await flush()
    if (stuck === undefined) dropFiles(found.files)
  }
  function retain(): void {
    dropOld().catch((cause) => report('old files of the audit log are not dropped', cause))
  }

  // The log goes on where the last engine has left it; then old files can go.
  try {
    opened()
    flushSoon()
    retain()
  } catch (cause) {
    report('the audit log cannot be opened, and changes are refused until it can', cause)
    stuck = messageOf(cause)
  }

  return {
    dir,
    mask,
    refuseWhileStuck() {
      if (stuck === undefined) return
      tryAgain()
      if (stuck !== undefined) throw unavailable(`the audit log cannot be written (${stuck}), so nothing is changed`)
    },
    async note(entry) {
      enter(entry)
      if (stuck !== undefined)
        throw unavailable(
          `it is done, and the audit log cannot be written (${stuck}): it will be entered when that is possible`
        )
      if (!strict) return
      await flush().catch((cause) => {
        throw unavailable(`it is done, and the audit log cannot be flushed: ${messageOf(cause)}`)
      })
    },
    refused(entry) {
      // Nobody is told that it was entered, and anybody can cause one: they do not wait for a disk.
      if (stuck === undefined) folded.take(entry)
    },
    async answeredFor(act) {
      const answer = { isOver: false }
      try {
        return await answers.run(answer, act)
      } finally {
        answer.isOver = true // what goes on in the background, such as a run, is nobody's request
      }
    },
    isAnsweredFor: () => answers.getStore()?.isOver === false,
    head: () => appender?.head(),
    async close() {
      endRetention()
      folded.close()
      tryAgain()
      endRetry()
      await flush().catch(notFlushed)
      appender?.close()
    }
  }
}

const BY_ENGINE = { principal: { kind: 'engine', name: '' }, door: 'engine' } as const
const unavailable = (message: string) => new TroupeError('service_unavailable', message)
