/** What the enrolment of workers says about one that speaks: under which name, and whether at all. Source: distribution 1 (D12), 6. */
import type { Enrolment } from '../../bus/enrolment.ts'

export const REVOKED = 'its key was revoked'

// D1023: the engine checks the name of a worker with a key, not its labels
/** @param enrolment the latest; undefined: nobody was ever enrolled */
export function keysOf(enrolment: () => Enrolment | undefined) {
  let of: Enrolment | undefined
  let byHome = new Map<string, Enrolment['workers'][number]>()
  let byId = new Map<string, Enrolment['workers'][number]>()
  /** Reads the enrolment, which changes seldom, and is asked for with every hello. */
  function read(): void {
    const found = enrolment()
    if (found === of) return
    of = found
    byHome = new Map(found?.workers.map((one) => [one.home, one]))
    byId = new Map(found?.workers.map((one) => [one.id, one]))
  }
  return {
    isRevoked(home: string): boolean {
      read()
      return byHome.get(home)?.revokedAt !== undefined
    },
    /** Why a worker may not call itself so; undefined: it may. */
    refusalOf(home: string, id: string): string | undefined {
      read()
      const own = byHome.get(home)
      if (own?.revokedAt !== undefined) return REVOKED
      if (own && own.id !== id) return `it calls itself ${id}, and its key is that of ${own.id}`
      const holder = byId.get(id)
      return holder && holder !== own ? `the name ${id} belongs to the holder of a key` : undefined
    }
  }
}
