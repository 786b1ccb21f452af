/** The audit log that a command looks at: in a home of this machine, whether an engine is running or not, or of a server elsewhere. */
import { existsSync } from 'node:fs'
import type { Entry, Head } from '../../../audit/entry.ts'
import { auditFiles } from '../../../audit/files.ts'
import type { AuditFilter } from '../../../audit/filter.ts'
import { type AuditPart, auditPart, exported, linesOf, type PlacedLine } from '../../../audit/read.ts'
import { headOfHome } from '../../../audit/verify-home.ts'
import type { Config } from '../../../config.ts'
import { TroupeError } from '../../../errors.ts'
import type { Remote } from '../../context.ts'

/** Instants in epoch ms. */
export type ListedFilter = { [K in keyof AuditFilter]: NonNullable<AuditFilter[K]> }

export interface AuditLog {
  /** As messages name it. */
  name: string
  part(filter: ListedFilter, limit: number, cursor: string | undefined): Promise<AuditPart>
  /** As they are stored, in chunks of some size. */
  lines(filter: ListedFilter): AsyncIterable<string>
  /** What there is to be verified: the latest entry that is known, then all lines. */
  all(): Promise<{ head: Head | undefined; lines: AsyncIterable<PlacedLine> }>
  /** Why nothing is shown: none is kept, or `otherwise`. */
  whyEmpty(otherwise: string): Promise<string>
}

const NONE_KEPT = 'no audit log is kept: audit.enabled is off'

export function logHere({ audit, dataDir }: Config): AuditLog {
  const { dir, enabled } = audit
  return {
    name: dir,
    part: (filter, limit, cursor) => auditPart(dir, { filter, limit, cursor }),
    lines: (filter) => exported(dir, filter),
    async all() {
      const head = await headOfHome(dataDir)
      return { head, lines: linesOf(auditFiles(dir).map(({ path }) => path)) }
    },
    whyEmpty: async (otherwise) => (enabled || auditFiles(dir).length > 0 ? otherwise : NONE_KEPT)
  }
}

/** @throws TroupeError: what the server refuses */
export async function logThere(remote: Remote): Promise<AuditLog> {
  const [{ apiOf }, { auditFrom, linesFrom }] = await Promise.all([
    import('../../remote/api.ts'),
    import('../../remote/streams.ts')
  ])
  const api = apiOf(remote)
  const queryOf = ({ from, to, ...rest }: ListedFilter) => ({
    ...rest,
    ...(from === undefined ? {} : { from: Math.floor(from / 1_000) }),
    ...(to === undefined ? {} : { to: Math.ceil(to / 1_000) })
  })
  return {
    name: remote.url,
    async part(filter, limit, cursor) {
      const query = { ...queryOf(filter), limit: Math.min(limit, 1_000), ...(cursor === undefined ? {} : { cursor }) }
      const { entries, nextCursor } = await api.listAudit({ query })
      // The contract says what an entry has.
      return { entries: entries as Entry[], ...(nextCursor === null ? {} : { next: nextCursor }) }
    },
    lines: (filter) => auditFrom(remote, queryOf(filter)),
    async all() {
      const { head } = await api.listAudit({ query: { limit: 1 } })
      return { head: head ?? undefined, lines: linesFrom(auditFrom(remote, {})) }
    },
    async whyEmpty(otherwise) {
      const { enabled } = await api.listAudit({ query: { limit: 1 } })
      return enabled ? otherwise : NONE_KEPT
    }
  }
}

/** An exported file. @throws TroupeError not_found */
export function linesOfFile(path: string): AsyncIterable<PlacedLine> {
  if (!existsSync(path)) throw new TroupeError('not_found', `there is no file ${path}`)
  return linesOf([path])
}
