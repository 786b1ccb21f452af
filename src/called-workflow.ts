/** The stored workflow that a step calls by a name or a path. Source: execution-semantics 9.1.1. */
import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Definitions } from './definitions.ts'
import { TroupeError } from './errors.ts'
import { MAX_TEXT_BYTES } from './spec/nesting.ts'
import { problemText } from './spec/problem-text.ts'
import type { StoredPlan } from './store/open.ts'

const EXTENSIONS = ['.yaml', '.yml']

/**
 * @param target a path when it has a slash; else a file name, with or without its extension
 * @param besides directory of the caller's file
 * @throws TroupeError not_found, bad_request (the workflow has problems)
 */
export function calledWorkflow(
  definitions: Definitions,
  dagsDir: string,
  target: string,
  besides: string | undefined
): StoredPlan {
  const file = target && candidates(target, [dagsDir, ...(besides ? [besides] : [])]).find(isFile)
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
  const spec = readFileSync(file, 'utf8')
  const fallbackName = basename(file, extname(file))
  const { plan, problems } = definitions.read(spec, { fallbackName, sourceDir: dirname(file) })
  if (plan) return { plan, spec }
  throw new TroupeError('bad_request', `failed to load DAG "${target}": ${problems.map(problemText).join('; ')}`)
}

function candidates(target: string, folders: string[]): string[] {
  const path = target.replace(/^~(?=\/)/, homedir())
  const bases = path.includes('/') ? [resolve(path), ...folders.map((folder) => resolve(folder, path))] : []
  const all = bases.length > 0 ? bases : folders.map((folder) => join(folder, path))
  return all.flatMap((base) => (EXTENSIONS.includes(extname(base)) ? [base] : EXTENSIONS.map((end) => base + end)))
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
