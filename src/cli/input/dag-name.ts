/** From the operand of a command to the DAG name of its runs, and to the name of its file. Source: api-semantics 11. */
import { basename } from 'node:path'
import { nameProblem, runIdProblem } from '../../api/rules/names.ts'
import { TroupeError } from '../../errors.ts'
import type { OpenClient } from '../owner/opened.ts'
import { locate, type Places } from './locate.ts'

/**
 * The name in the definition. Choice: without such a file, a word that can be a DAG name is taken as one, because runs
 * outlive their definitions and may have been named with --name; so is the id of a run, which may be too long for a name.
 * @throws TroupeError bad_request
 */
export async function dagNameOf(
  input: string,
  client: Pick<OpenClient, 'acts' | 'isElsewhere'>,
  places: Places
): Promise<string> {
  if (client.isElsewhere) return nameThere(input, client)
  const file = locate(input, places)
  if (file) return (await client.acts.validateFile({ body: { file } })).name
  if ((nameProblem('', input) && runIdProblem('', input)) || /\.ya?ml$/.test(input))
    throw new TroupeError('not_found', `wanted a definition or a DAG name, found neither: ${JSON.stringify(input)}`)
  return input
}

/** The name of a definition of a server elsewhere: no file of this machine is meant. */
async function nameThere(input: string, client: Pick<OpenClient, 'acts'>): Promise<string> {
  try {
    return (await client.acts.validateFile({ body: { file: input } })).name
  } catch (error) {
    if (error instanceof TroupeError && ['not_found', 'bad_request'].includes(error.code) && !input.includes('/'))
      return input
    throw error
  }
}

/** The name of a definition in the folder of definitions: a path could lead elsewhere. @throws TroupeError bad_request */
export function storedName(input: string): string {
  if (!input.includes('/')) return fileNameOf(input)
  throw new TroupeError(
    'bad_request',
    `wanted the name of a definition in the folder of definitions, found the path ${JSON.stringify(input)}`
  )
}

/** The scheduler's name for a definition. The file is not looked up: its decisions outlive it. */
export const fileNameOf = (input: string): string => basename(input).replace(/\.ya?ml$/, '')
