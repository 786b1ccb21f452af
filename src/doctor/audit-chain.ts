/** Whether the audit log of a home is what was written. Homes without one load nothing for it. */
import { existsSync } from 'node:fs'
import { messageOf } from '../errors.ts'
import type { Store } from '../store/open.ts'
import type { Finding, Premises } from './finding.ts'

const MENDING =
  'nothing mends it: troupe audit verify says all of it; keep the files, and find out who could write to that folder'

export async function auditProblems(store: Store, { audit }: Pick<Premises, 'audit'>): Promise<Finding[]> {
  if (!existsSync(audit.dir)) return []
  const { verifiedHome } = await import('../audit/verify-home.ts')
  try {
    const { breaks } = await verifiedHome(audit.dir, store)
    const [first] = breaks
    if (!first) return []
    return [
      {
        check: 'audit',
        severity: 'error',
        message: `the audit log was tampered with: ${first.message}`,
        mending: MENDING
      }
    ]
  } catch (error) {
    const message = `the audit log in ${audit.dir} cannot be read: ${messageOf(error)}`
    return [{ check: 'audit', severity: 'error', message, mending: 'let the user of the engine read it' }]
  }
}
