/** Reads a store whose pages may be damaged: a failed read is a finding, and the rest is examined. Source: reliability P7. */
import { messageOf } from '../errors.ts'
import { passOver } from '../store/damage/damaged.ts'
import type { Store } from '../store/open.ts'
import type { Finding } from './finding.ts'

export const RESTORE = 'restore a backup (troupe restore DIR --replace)'

export interface Reads {
  /** Undefined when it cannot be read. */
  of<T>(read: () => T): T | undefined
  /** All readable entries. */
  all(read: () => Iterable<Finding>): Finding[]
  /** Distinct errors of LMDB. */
  damages(): Finding[]
}

/** Follows an error that was ignored. */
const AFTER_REFUSAL = 'MDB_BAD_TXN'

export function readsOf({ root }: Store): Reads {
  const refusals = new Set<string>()
  const isCause = (refusal: string) => refusals.size === 1 || !refusal.startsWith(AFTER_REFUSAL)

  function attempt<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      refusals.add(messageOf(error))
      passOver(root, error)
      return undefined
    }
  }
  return {
    of: attempt,
    all(read) {
      const found: Finding[] = []
      attempt(() => {
        for (const finding of read()) found.push(finding)
      })
      return found
    },
    damages: () =>
      [...refusals].filter(isCause).map((refusal) => ({
        check: 'store',
        severity: 'error',
        message: `the store is damaged: ${refusal}`,
        mending: RESTORE
      }))
  }
}
