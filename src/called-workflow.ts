/** The stored workflow that a step calls by a name or a path. Source: execution-semantics 9.1.1. */
import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { extname, resolve } from 'node:path'
import type { Definitions } from './definitions.ts'
import { TroupeError } from './errors.ts'
import { MAX_TEXT_BYTES } from './spec/nesting.ts'
import { problemText } from './spec/problem-text.ts'
import type { StoredPlan } from './store/open.ts'

const EXTENSIONS = ['.yaml', '.yml']

export interface Places {
  /** Of the calling DAG: what a path is relative to, first of all. */
  workingDir: string
  dagsDir: string
  /** Directory of the caller's file. */
  besides: string | undefined
}

/**
 * @param target a path when it has a slash; else a file name, with or without its extension
 * @param places where it is looked for
 * @throws TroupeError not_found, bad_request (the workflow has problems)
 */
export function calledWorkflow(definitions: Definitions, target: string, places: Places): StoredPlan {
  const file = target && candidates(target, places).find(isFile)
  if (!file)
    throw new TroupeError(
      'not_found',
      `failed to find DAG "${target}": it is no workflow of the same file, and no file of the definitions folder or beside the caller`
    )
  const { size } = statSync(file)
  if (size > MAX_TEXT_BYTES)
    throw new TroupeError(
      'bad_request',
      `failed to load DAG "${target}": wanted at most ${MAX_TEXT_BYTES} bytes, found ${size}`
    )
  const {
    definition: { plan, problems },
    spec
  } = definitions.readFile(file)
  if (plan) return { plan, spec }
  throw new TroupeError('bad_request', `failed to load DAG "${target}": ${problems.map(problemText).join('; ')}`)
}

function candidates(target: string, { workingDir, dagsDir, besides }: Places): string[] {
  const path = target.replace(/^~(?=\/)/, homedir())
  const stored = [dagsDir, ...(besides ? [besides] : [])]
  const folders = path.includes('/') ? [workingDir, '.', ...stored] : stored
  return folders
    .map((folder) => resolve(folder, path))
    .flatMap((base) => (EXTENSIONS.includes(extname(base)) ? [base] : EXTENSIONS.map((end) => base + end)))
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
