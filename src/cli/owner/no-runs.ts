/** Errors for a run or a definition that does not exist: the home that was searched, a similar name, and the other homes that are served. */
import type { Client } from '../../client/index.ts'
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import type { CliContext } from '../context.ts'
import { knownNames, runOf } from './known-runs.ts'
import type { OpenClient } from './opened.ts'
import type { OtherServer } from './other-servers.ts'

/** Where the run was looked for. */
export interface Searched {
  context: CliContext
  client: Pick<OpenClient, 'home' | 'api'>
}

/** @returns the error for a DAG name without runs */
export async function hasNoRuns(name: string, { context, client }: Searched): Promise<TroupeError> {
  const others = context.remote ? [] : await context.otherServers(client.home)
  const known = (await knownNames(client.api)).filter((word) => word !== name)
  return notFound(
    `${name} has no runs ${context.remote ? 'on' : 'in the home'} ${client.home}${didYouMean(name, known)}`,
    hintOf(others)
  )
}

/** @returns the error for an id that no run of this name has */
export async function noSuchRun(name: string, dagRunId: string, { context, client }: Searched): Promise<TroupeError> {
  const newest = await runOf(client.api, { name })
  if (!newest) return hasNoRuns(name, { context, client })
  return notFound(`there is no run ${dagRunId} of ${name}`, `its newest is ${newest.dagRunId} (or say latest)`)
}

/** What is asked of a stored definition; the error when there is none suggests another one. */
export async function ofDefinition<T>(api: Client, fileName: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (cause) {
    if (!(cause instanceof TroupeError && cause.message.startsWith('there is no definition named '))) throw cause
    const known = (await knownNames(api)).filter((word) => word !== fileName) // its runs may be there still
    throw new TroupeError('not_found', cause.message + didYouMean(fileName, known), { cause })
  }
}

function hintOf(others: OtherServer[]): string {
  const [one, ...more] = others.map(({ home }) => `--home ${home}`)
  if (one === undefined) return ''
  return more.length === 0
    ? `a server of another home is up: ${one}`
    : `servers of other homes are up: ${[one, ...more].join(', ')}`
}

const notFound = (message: string, hint: string) =>
  new TroupeError('not_found', hint === '' ? message : `${message}; ${hint}`)
