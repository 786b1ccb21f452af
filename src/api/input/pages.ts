/** Parts of long lists: pages by number, and cursors. Source: api-semantics 3.2 (pagination), 3.6 (cursor). */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import { systemClock } from '../../clock.ts'
import type { Engine, RunFilter, RunPlace } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { turns } from '../turns.ts'

const DEFAULT_PER_PAGE = 50
const MOST_PER_PAGE = 1_000
const MOST_RUNS = 1_000

/** One page of `items` with its Pagination. Numbers out of range are clamped. */
export function pageOf<T>(items: readonly T[], asked: { page?: number | undefined; perPage?: number | undefined }) {
  const page = Math.max(1, asked.page ?? 1)
  const perPage = (asked.perPage ?? 0) < 1 ? DEFAULT_PER_PAGE : Math.min(asked.perPage ?? 0, MOST_PER_PAGE)
  const totalPages = Math.max(1, Math.ceil(items.length / perPage))
  return {
    page: items.slice((page - 1) * perPage, page * perPage),
    pagination: {
      totalRecords: items.length,
      currentPage: page,
      totalPages,
      nextPage: page < totalPages ? page + 1 : null,
      prevPage: page === 1 ? null : Math.min(page - 1, totalPages)
    }
  }
}

// D1160: a list of runs ends its search after 50,000 runs
/** Runs that one answer looks at: a filter that few runs match gets a part with fewer runs than wanted, and a cursor. */
const MOST_SEEN = 50_000

export interface PageOfRuns {
  page: RunRecord[]
  /** Null: there are no more. */
  nextCursor: string | null
}

/**
 * The runs behind `cursor`, newest first, and the cursor behind those. Others have their turn while it searches.
 * @param limit from 1 on; more than 1,000 counts as 1,000 @throws TroupeError bad_request when the cursor is not from here
 */
export async function runsAfter(
  engine: Pick<Engine, 'runsPart'>,
  filter: RunFilter,
  limit: number,
  cursor: string | undefined
): Promise<PageOfRuns> {
  const most = Math.min(limit, MOST_RUNS)
  const runs: RunRecord[] = []
  let after: RunPlace | undefined = cursor === undefined ? undefined : readCursor(cursor)
  const turn = turns()
  for (let seen = 0; ; ) {
    const since = systemClock.elapsed()
    const part = engine.runsPart(filter, after, (found) => {
      seen++
      return runs.length + found > most || seen >= MOST_SEEN || systemClock.elapsed() - since > AT_ONCE_MS
    })
    for (const run of part.runs) runs.push(run)
    after = part.next
    const last = runs[most - 1]
    // A run more than wanted was found: so there are more.
    if (runs.length > most && last) return { page: runs.slice(0, most), nextCursor: writeCursor(last) }
    if (after === undefined) return { page: runs, nextCursor: null }
    if (seen >= MOST_SEEN) return { page: runs, nextCursor: writeCursor(after) }
    await turn()
  }
}

/** Others have their turn after so long. */
const AT_ONCE_MS = 5

const writeCursor = ({ createdAt, dagRunId, name }: RunPlace) =>
  Buffer.from(`${createdAt} ${dagRunId} ${name}`).toString('base64url')

function readCursor(cursor: string): RunPlace {
  const [createdAt = '', dagRunId = '', name = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (/^\d{1,15}$/.test(createdAt)) return { createdAt: Number(createdAt), dagRunId, name }
  throw new TroupeError('bad_request', "query parameter 'cursor': wanted one that this API gave out")
}
