/** Whether a worker that says hello may serve. Source: distribution 3, 5, D17. */

/** Versions of the protocol that an engine or a worker speaks, both ends included. */
export interface Speaks {
  min: number
  max: number
}

export interface Asking {
  id: string
  speaks: Speaks
  /** The home of another worker that serves under the same id; absent: there is none. */
  idTakenBy?: string
}

/** Why not, as a sentence that says what helps; undefined: it may. @param own what this engine speaks */
export function refusalOf({ id, speaks, idTakenBy }: Asking, own: Speaks): string | undefined {
  if (speaks.min > own.max || speaks.max < own.min) {
    const older = speaks.max < own.min ? 'worker' : 'engine'
    return `it speaks protocol ${versions(speaks)}, and this engine ${versions(own)}: update the ${older}`
  }
  if (idTakenBy !== undefined)
    return `the id ${id} is in use by the worker with the home ${idTakenBy}: stop that one, or choose another id`
  return undefined
}

const versions = ({ min, max }: Speaks) => (min === max ? `${max}` : `${min} to ${max}`)

// D996: a session begins with a number that grows from start to start of a home
/**
 * Whether one process of a home was started before another. A session begins with a number that grows from start to start of a home,
 * such as `17-9f3c`; of one that does not, nothing is known.
 */
export function isEarlier(session: string, than: string): boolean {
  const [one, other] = [startOf(session), startOf(than)]
  return one !== undefined && other !== undefined && one < other
}

const startOf = (session: string): number | undefined => {
  const [, start] = /^(\d{1,15})-/.exec(session) ?? []
  return start === undefined ? undefined : Number(start)
}
