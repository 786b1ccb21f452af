/** Which release of Dagu a file was written for: since 2.7 `run` is a command, and a file without a type is a graph. */
import { isMap, isScalar, isSeq } from 'yaml'
import { LEVELS } from '../../../definition/fields/fields.ts'
import { TroupeError } from '../../../errors.ts'
import { entryOf, mapIn, nameOf, type Release, textIn, type YamlMap } from './pen.ts'

/** @throws TroupeError bad_request */
export function releaseOf(version: string): Release {
  const [, major, minor] = /^v?(\d+)(?:\.(\d+|x))?(?:\.\S*)?$/.exec(version) ?? []
  const isTold = major !== undefined && (Number(major) !== 2 || /^\d+$/.test(minor ?? ''))
  if (!isTold)
    throw new TroupeError(
      'bad_request',
      `--from: wanted a release of Dagu such as 2.15 or 1.30, found ${JSON.stringify(version)}`
    )
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 7) ? 'new' : 'old'
}

const NEW_OF_DAG = ['actions', 'consts', 'outputs', 'tools']
const NEW_OF_STEP = ['action', 'outputs', 'with']

// D1689: a word of 2.7 tells the release of a file, then a word of 1.x, then --from
/** What the documents of a file tell of their release. @param told by --from */
export function releaseIn(documents: readonly YamlMap[], told: Release | undefined): Release | undefined {
  if (documents.some((dag) => has(dag, NEW_OF_DAG) || stepsIn(dag).some(isNewStep))) return 'new'
  const levels = documents.flatMap((dag) => [
    { map: dag, level: LEVELS.dag },
    ...stepsIn(dag).map((map) => ({ map, level: LEVELS.step }))
  ])
  // Names of 1.x, such as `workingDir`: 2.x has them with underscores only.
  const isOld = levels.some(({ map, level }) =>
    level.rows.some(({ name }) => /[A-Z]/.test(name) && map.items.some((entry) => nameOf(entry) === name))
  )
  return isOld ? 'old' : told
}

const has = (map: YamlMap, names: readonly string[]): boolean => names.some((name) => map.has(name))

const isNewStep = (step: YamlMap): boolean => has(step, NEW_OF_STEP) || runsCommand(step)

/** `run` with more than the name of a workflow. */
function runsCommand(step: YamlMap): boolean {
  const entry = entryOf(step, 'run')
  if (!entry || entryOf(step, 'params') || entryOf(step, 'parallel')) return false
  return isScalar(entry.value) ? !/^\S*$/.test(textIn(entry)?.trim() ?? '') : true
}

/** Maps of steps below `steps`, in groups too, and of handlers. */
export function stepsIn(dag: YamlMap): YamlMap[] {
  const below = (value: unknown): YamlMap[] =>
    isSeq(value) ? value.items.flatMap(below) : isMap(value) ? [value as YamlMap] : []
  const valuesOf = (map: YamlMap | undefined) => map?.items.flatMap(({ value }) => below(value)) ?? []
  const steps = entryOf(dag, 'steps')?.value
  return [...(isMap(steps) ? valuesOf(steps as YamlMap) : below(steps)), ...valuesOf(mapIn(entryOf(dag, 'handlerOn')))]
}
