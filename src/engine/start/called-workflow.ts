/** The stored workflow that a step calls by name or path. Source: execution-semantics 9.1.1. */
import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, extname, resolve } from 'node:path'
import type { StarterRights } from '../../../machines/vocabulary.ts'
import { maySee } from '../../config.ts'
import type { Definition } from '../../definition/definition.ts'
import { problemText } from '../../definition/problem-text.ts'
import { MAX_TEXT_BYTES } from '../../definition/yaml/nesting.ts'
import type { Definitions } from '../../definitions/definitions.ts'
import { TroupeError } from '../../errors.ts'
import { readNamed, withinLimits } from '../../executors/frame/named-file.ts'
import { didYouMean } from '../../nearest.ts'
import { lookAt } from '../../platform/make-folder.ts'
import type { StoredPlan } from '../../store/stored.ts'

const EXTENSIONS = ['.yaml', '.yml']

export interface Places {
  /** Working directory of the calling DAG, the first one that a path is relative to. */
  workingDir: string
  dagsDir: string
  /** Directory of the caller's file. */
  besides: string | undefined
}

/**
 * @param target a path if it contains a slash; otherwise a file name, with or without extension
 * @param places where to look for it
 * @param starter of the run: what they must not see is not there; absent: they see all
 * @throws TroupeError not_found, bad_request (the workflow has problems)
 */
// D1584: a run of a text that its starter may write calls nothing that is hidden from them
export async function calledWorkflow(
  definitions: Definitions,
  target: string,
  places: Places,
  starter?: StarterRights
): Promise<StoredPlan> {
  const refused = (reason: string, cause?: unknown) =>
    new TroupeError('bad_request', `failed to load DAG "${target}": ${reason}`, { cause })
  const isHidden = ({ name, problems, outline: { group, tags } }: Definition, fallback: string) =>
    starter !== undefined &&
    !maySee(starter, { name: name || fallback, ...(problems.some(({ path }) => path === '') ? {} : { group, tags }) })
  const coded = definitions.code(target)
  if (coded && !isHidden(coded.stored.definition, target)) {
    const { definition, spec } = coded.stored
    if (definition.plan) return { plan: definition.plan, spec }
    throw refused(definition.problems.map(problemText).join('; '))
  }
  // A name that is nearly right would be that of something hidden.
  const missing = async () =>
    new TroupeError(
      'not_found',
      `failed to find DAG "${target}": it is no workflow of the same file, no DAG of code that the engine has, and no file of the definitions folder or beside the caller${starter ? '' : didYouMean(target, await stored(places))}`
    )
  const file = !coded && target && (await fileAmong(runRequests(target, places)))
  if (!file) throw await missing()
  const text = await readNamed(file, MAX_TEXT_BYTES).catch(async (cause: Error) => {
    throw starter ? await missing() : refused(cause.message, cause)
  })
  const { definition, spec } = await definitions.readCalled(file, text)
  if (isHidden(definition, basename(file, extname(file)))) throw await missing()
  const { plan, problems } = definition
  if (plan) return { plan, spec }
  throw refused(problems.map(problemText).join('; '))
}

function runRequests(target: string, { workingDir, dagsDir, besides }: Places): string[] {
  const path = target.replace(/^~(?=\/)/, homedir())
  const stored = [dagsDir, ...(besides ? [besides] : [])]
  const folders = path.includes('/') ? [workingDir, '.', ...stored] : stored
  return folders
    .map((folder) => resolve(folder, path))
    .flatMap((base) => (EXTENSIONS.includes(extname(base)) ? [base] : EXTENSIONS.map((end) => base + end)))
}

async function fileAmong(paths: string[]): Promise<string | undefined> {
  for (const path of paths) if ((await withinLimits(async () => lookAt(path)))?.isFile()) return path
  return undefined
}

/** Names of the files in the definitions folder; none when it is missing or not readable. */
async function stored({ dagsDir }: Places): Promise<string[]> {
  const names = await withinLimits(() => readdir(dagsDir)).catch((): string[] => [])
  return names.flatMap((name) => (EXTENSIONS.includes(extname(name)) ? [name.slice(0, -extname(name).length)] : []))
}
