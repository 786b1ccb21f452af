/**
 * Parses `action.yml`: inputs, outputs and what to run. Unsupported features are refused by name, all of them at
 * once. Source: execution-semantics 10.9.4.
 */
import type { Json } from '../../../machines/vocabulary.ts'
import { plainDocument } from '../../definition/yaml/plain-document.ts'
import { messageOf } from '../../errors.ts'

export interface Action {
  inputs: Map<string, ActionInput>
  /** By name; a composite action gives the expression of each. */
  outputs: Map<string, string>
  runs: NodeRuns | DockerRuns | CompositeRuns
}

export interface ActionInput {
  required: boolean
  default?: string
}

export interface NodeRuns {
  using: 'node'
  main: string
  pre?: string
  post?: string
  /** Conditions. */
  preIf: string
  postIf: string
}

export interface DockerRuns {
  using: 'docker'
  /** A Dockerfile in the folder of the action, or `docker://<image>`. */
  image: string
  args?: string[]
  entrypoint?: string
  env: [string, string][]
}

export interface CompositeRuns {
  using: 'composite'
  steps: ShellStep[]
}

export interface ShellStep {
  id?: string
  name: string
  run: string
  shell: string
  env: [string, string][]
  workingDirectory?: string
  condition: string
  continueOnError: string
}

type Map_ = { [key: string]: Json }

const TOP = ['name', 'author', 'description', 'inputs', 'outputs', 'runs', 'branding']
const OF_RUNS = {
  node: ['using', 'main', 'pre', 'pre-if', 'post', 'post-if'],
  docker: ['using', 'image', 'args', 'entrypoint', 'env'],
  composite: ['using', 'steps']
}
const OF_STEP = ['id', 'name', 'run', 'shell', 'env', 'working-directory', 'if', 'continue-on-error']

/** @param where path of the file, for messages @throws Error that names each problem */
export function readAction(text: string, where: string): Action {
  const problems: string[] = []
  let root: Map_
  try {
    root = mapIn(plainDocument(text), '', problems)
  } catch (cause) {
    throw new Error(`${where}: ${messageOf(cause)}`, { cause })
  }
  refuseOthers(root, TOP, '', problems)
  const runs = runsOf(mapIn(root.runs ?? null, 'runs', problems), problems)
  const action = {
    inputs: new Map(entriesOf(root.inputs, 'inputs', problems).map(([name, input]) => [name, inputOf(input)])),
    outputs: new Map(
      entriesOf(root.outputs, 'outputs', problems).map(([name, output]) => [name, textIn(output, 'value') ?? ''])
    )
  }
  if (problems.length > 0 || !runs) throw new Error(`${where}: ${problems.join('; ')}`)
  return { ...action, runs }
}

function inputOf(input: Map_): ActionInput {
  const text = textIn(input, 'default')
  return {
    required: input.required === true || input.required === 'true',
    ...(text === undefined ? {} : { default: text })
  }
}

function runsOf(runs: Map_, problems: string[]): Action['runs'] | undefined {
  const using = textIn(runs, 'using') ?? ''
  const needed = (key: string) => {
    const text = textIn(runs, key)?.trim()
    if (!text) problems.push(`runs.${key} is required`)
    return text ?? ''
  }
  if (/^node\d+$/i.test(using)) {
    refuseOthers(runs, OF_RUNS.node, 'runs', problems)
    const [pre, post] = [textIn(runs, 'pre'), textIn(runs, 'post')]
    return {
      using: 'node',
      main: needed('main'),
      ...(pre === undefined ? {} : { pre }),
      ...(post === undefined ? {} : { post }),
      preIf: textIn(runs, 'pre-if') ?? 'always()',
      postIf: textIn(runs, 'post-if') ?? 'always()'
    }
  }
  if (using === 'docker') {
    refuseOthers(runs, OF_RUNS.docker, 'runs', problems)
    const entrypoint = textIn(runs, 'entrypoint')
    const { args } = runs
    if (args !== undefined && args !== null && !Array.isArray(args)) problems.push('runs.args: wanted a list')
    return {
      using,
      image: needed('image'),
      ...(Array.isArray(args) ? { args: args.map((arg) => String(arg ?? '')) } : {}),
      ...(entrypoint === undefined ? {} : { entrypoint }),
      env: textsOf(runs.env, 'runs.env', problems)
    }
  }
  if (using === 'composite') {
    refuseOthers(runs, OF_RUNS.composite, 'runs', problems)
    if (!Array.isArray(runs.steps)) problems.push('runs.steps: wanted a list')
    const steps = Array.isArray(runs.steps) ? runs.steps : []
    return { using, steps: steps.map((step, index) => shellStep(step, `runs.steps[${index}]`, problems)) }
  }
  problems.push(`runs.using: ${JSON.stringify(using)} is not supported, wanted node<version>, docker or composite`)
  return undefined
}

function shellStep(written: Json, where: string, problems: string[]): ShellStep {
  const step = mapIn(written, where, problems)
  const others = Object.keys(step).filter((key) => !OF_STEP.includes(key))
  for (const key of others)
    problems.push(`${where}.${key} is not supported: the steps of a composite action may be shell commands (run) only`)
  const run = textIn(step, 'run')
  const shell = textIn(step, 'shell')?.trim()
  if (run === undefined && others.length === 0) problems.push(`${where}.run is required`)
  if (run !== undefined && !shell) problems.push(`${where}.shell is required`)
  if (shell && !shellWords(shell))
    problems.push(`${where}.shell: ${shell} is not supported, wanted ${SHELL_NAMES}, or a command with {0}`)
  const [id, workingDirectory] = [textIn(step, 'id'), textIn(step, 'working-directory')]
  return {
    ...(id === undefined ? {} : { id }),
    name: textIn(step, 'name') ?? id ?? where,
    run: run ?? '',
    shell: shell ?? 'sh',
    env: textsOf(step.env, `${where}.env`, problems),
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
    condition: textIn(step, 'if') ?? 'success()',
    continueOnError: textIn(step, 'continue-on-error') ?? 'false'
  }
}

const SHELLS: Readonly<Record<string, string[]>> = {
  bash: ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '{0}'],
  sh: ['sh', '-e', '{0}'],
  python: ['python', '{0}'],
  pwsh: ['pwsh', '-command', ". '{0}'"]
}
const SHELL_NAMES = Object.keys(SHELLS).join(', ')

/** The command line of a shell, `{0}` being the path of its script; undefined: an unknown shell. */
export const shellWords = (shell: string): string[] | undefined =>
  Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : shell.includes('{0}') ? shell.trim().split(/\s+/) : undefined

function refuseOthers(map: Map_, known: string[], where: string, problems: string[]): void {
  for (const key of Object.keys(map))
    if (!known.includes(key)) problems.push(`${where ? `${where}.` : ''}${key} is not supported`)
}

function mapIn(value: Json, where: string, problems: string[]): Map_ {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value
  problems.push(where ? `${where}: wanted a map` : 'wanted a map')
  return {}
}

/** Members that are maps; an empty member counts as an empty map. */
function entriesOf(value: Json | undefined, where: string, problems: string[]): [string, Map_][] {
  if (value === undefined || value === null) return []
  return Object.entries(mapIn(value, where, problems)).map(([key, inner]) => [
    key,
    inner === null ? {} : mapIn(inner, `${where}.${key}`, problems)
  ])
}

function textsOf(value: Json | undefined, where: string, problems: string[]): [string, string][] {
  if (value === undefined || value === null) return []
  return Object.entries(mapIn(value, where, problems)).map(([key, inner]) => [key, plain(inner) ?? ''])
}

const textIn = (map: Map_, key: string): string | undefined => plain(map[key])

const plain = (value: Json | undefined): string | undefined =>
  value === undefined || value === null || typeof value === 'object' ? undefined : String(value)
