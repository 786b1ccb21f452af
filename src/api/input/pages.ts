/** Parts of long lists: pages by number, and cursors. Source: api-semantics 3.2 (pagination), 3.6 (cursor). */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { Engine, RunFilter } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'

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

/**
 * The runs behind `cursor`, newest first, and the cursor behind those.
 * @param limit from 1 on; more than 1,000 counts as 1,000 @throws TroupeError bad_request when the cursor is not from here
 */
export function runsAfter(engine: Engine, filter: RunFilter, limit: number, cursor: string | undefined) {
  const most = Math.min(limit, MOST_RUNS)
  const runs = cursor === undefined ? engine.runs({ ...filter, limit: most + 1 }) : behind(readCursor(cursor))
  const page = runs.slice(0, most)
  const last = page.at(-1)
  return { page, nextCursor: last && runs.length > most ? writeCursor(last) : null }

  function behind({ createdAt, dagRunId, name }: Place): RunRecord[] {
    const { from = 0, to = Number.POSITIVE_INFINITY } = filter
    // Of the runs created in the same millisecond, those behind the cursor are still to come.
    const twins =
      createdAt < from || createdAt >= to ? [] : engine.runs({ ...filter, from: createdAt, to: createdAt + 1 })
    const at = twins.findIndex((twin) => twin.dagRunId === dagRunId && twin.name === name)
    const later = at < 0 ? twins.filter((twin) => twin.dagRunId > dagRunId) : twins.slice(at + 1)
    const older = createdAt <= from ? [] : engine.runs({ ...filter, to: Math.min(createdAt, to), limit: most + 1 })
    return [...later, ...older]
  }
}

type Place = Pick<RunRecord, 'createdAt' | 'dagRunId' | 'name'>

const writeCursor = ({ createdAt, dagRunId, name }: Place) =>
  Buffer.from(`${createdAt} ${dagRunId} ${name}`).toString('base64url')

function readCursor(cursor: string): Place {
  const [createdAt = '', dagRunId = '', name = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (/^\d{1,15}$/.test(createdAt)) return { createdAt: Number(createdAt), dagRunId, name }
  throw new TroupeError('bad_request', "query parameter 'cursor': wanted one that this API gave out")
}
