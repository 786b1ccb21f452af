/**
 * Definition text to plan, or to all of its problems. Nothing is evaluated and no command runs.
 * Source: execution-semantics 1.1, 1.2, 1.6, definition-format.
 */
import { LineCounter } from 'yaml'
import type { Plan } from '../../machines/vocabulary.ts'
import { overBase, readBase } from './base.ts'
import { type DagOptions, readDag } from './dag/dag.ts'
import type { Definition, Outline } from './definition.ts'
import type { CustomTypes } from './fields/custom-types.ts'
import { collectProblems, type Problems, wrong, wrongValue } from './problems.ts'
import type { AllowedTypes } from './steps/allowed-types.ts'
import { readDocuments } from './yaml/document.ts'
import type { Field } from './yaml/value.ts'

export interface ReadOptions {
  /** Overrides the name of the main document whatever it says (the caller's dagName, `--name`). */
  name?: string
  /** Used when the text has no name: an inline body's `name`, or the file's base name. */
  fallbackName?: string
  /** Directory of the definition file; absent for an inline spec. Local workflows have it too. */
  sourceDir?: string
  /** The base file: defaults for every document. `path` names it in problems. */
  base?: { text: string; path: string }
  /** Executors of the host application; default: none. */
  custom?: CustomTypes
  /** Which executors definitions may use; absent: all. */
  allowed?: AllowedTypes
}

const NONE: CustomTypes = new Map()

/** Reads any text; never throws. Invalid texts of the allowed size take a few seconds at most. */
export function readDefinition(text: string, options: ReadOptions = {}): Definition {
  const { name, fallbackName, sourceDir, custom = NONE, allowed } = options
  const lines = new LineCounter()
  const problems = collectProblems(lines)
  const base = options.base && readBase(options.base, custom)
  const requested = name?.trim() || ''
  const fallback = fallbackName?.trim() || ''
  const budget = { steps: 0, dependencies: 0 }
  const readOne = (root: Field, nameOf: DagOptions['nameOf']) =>
    readDag(problems, base ? overBase(root, base.entries) : root, {
      budget,
      sourceDir,
      custom,
      allowed,
      nameOf
    })

  const [main, ...others] = readDocuments(text, lines, problems)
  const plan =
    main &&
    readOne(main, (written, field) => {
      const fromText = !requested && Boolean(written)
      return checkedName(problems, requested || written || fallback, fromText ? field : unplaced(field))
    })
  const taken = new Set<string>()
  const locals = others.map((root, index) =>
    readOne(root, (written = '', field) => {
      if (!written) wrong(problems, field, `DAG at index ${index + 1} must have a name in multi-DAG file`)
      else if (taken.has(written)) wrong(problems, field, `duplicate DAG name "${written}" found`)
      taken.add(written)
      return written && checkedName(problems, written, field)
    })
  )
  return {
    name: plan?.name ?? (requested || fallback),
    ...(plan && !problems.found() && !base?.problems.length && { plan: { ...plan, locals } }),
    problems: [...(base?.problems ?? []), ...problems.list()],
    warnings: [...(base?.warnings ?? []), ...problems.warnings()],
    outline: plan
      ? outlineOf(plan)
      : { name: requested || fallback, group: '', description: '', tags: [], params: [], steps: [] }
  }
}

const outlineOf = ({ name, group, description, tags, params, steps }: Plan): Outline => ({
  name,
  group,
  description,
  tags,
  params,
  steps
})

const MAX_NAME = 40

const NAME = /^[a-zA-Z0-9_.-]+$/

/** A field whose value is not in the text. */
const unplaced = (field: Field): Field => ({ ...field, value: { ...field.value, at: -1 } })

/** The name; reported when it cannot be one. */
function checkedName(problems: Problems, name: string, field: Field): string {
  const value = { ...field.value, kind: 'scalar', text: name, data: name } as const
  const named: Field = { ...field, value }
  if (name === '') wrong(problems, field, 'DAG name is required')
  if (name.length > MAX_NAME) wrongValue(problems, named, 'name must be less than 40 characters')
  if (name !== '' && !NAME.test(name)) {
    wrongValue(problems, named, 'name must only contain alphanumeric characters, dashes, dots, and underscores')
  }
  if (name === '.' || name === '..') wrongValue(problems, named, 'name must not be "." or ".."')
  return name
}
