/** What is said where a run was wanted and none is: which home was looked into, what may have been meant, and which other home is served. */
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { Surroundings } from '../surroundings.ts'
import type { OpenDoor } from './opened.ts'
import type { OtherServer } from './other-servers.ts'

/** Where it was looked for. */
export interface Searched {
  surroundings: Surroundings
  door: Pick<OpenDoor, 'home' | 'names' | 'run'>
}

/** @returns the error for a DAG name without runs */
export async function hasNoRuns(name: string, { surroundings, door }: Searched): Promise<TroupeError> {
  const others = await surroundings.otherServers(door.home)
  const known = (await door.names()).filter((word) => word !== name)
  return told(`${name} has no runs in the home ${door.home}${didYouMean(name, known)}`, hintOf(others))
}

/** @returns the error for an id that no run of this name has */
export async function noSuchRun(
  name: string,
  dagRunId: string,
  { surroundings, door }: Searched
): Promise<TroupeError> {
  const newest = await door.run(name)
  if (!newest) return hasNoRuns(name, { surroundings, door })
  return told(`there is no run ${dagRunId} of ${name}`, `its newest is ${newest.run.dagRunId} (or say latest)`)
}

/** @returns the error for a home without a store */
export async function nothingHasRun(home: string, { otherServers }: Surroundings): Promise<TroupeError> {
  return told(`nothing has run in ${home} yet`, hintOf(await otherServers(home)))
}

function hintOf(others: OtherServer[]): string {
  const [one, ...more] = others.map(({ home }) => `--home ${home}`)
  if (one === undefined) return ''
  return more.length === 0
    ? `a server of another home is up: ${one}`
    : `servers of other homes are up: ${[one, ...more].join(', ')}`
}

const told = (message: string, hint: string) =>
  new TroupeError('not_found', hint === '' ? message : `${message}; ${hint}`)
