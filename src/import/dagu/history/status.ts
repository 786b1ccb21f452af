/** One attempt of a run, from the last line of its `status.jsonl`. Other people's JSON: each member is checked. */
import { instantIn } from '../../../../machines/policy/instant.ts'
import type { ConditionResult, HandlerName } from '../../../../machines/vocabulary.ts'
import { present } from '../../../platform/present.ts'

export interface DaguNode {
  name: string
  status: number
  startedAt?: number
  finishedAt?: number
  stdout?: string
  stderr?: string
  error?: string
  retryCount: number
  doneCount: number
  /** Value of the step's output variable. */
  output?: string
  /** Runs that it has called, oldest first. */
  children: { dagRunId: string; params: string }[]
  conditions?: ConditionResult[]
  depends: string[]
  /** The command that was executed, as recorded. */
  command: string
}

export interface DaguStatus {
  name: string
  dagRunId: string
  /** The parent of a sub DAG run. */
  parent?: string
  status: number
  nodes: DaguNode[]
  handlers: Partial<Record<HandlerName, DaguNode>>
  queuedAt?: number
  startedAt?: number
  finishedAt?: number
  params: string[]
  log?: string
  error?: string
}

type Members = Record<string, unknown>

const members = (value: unknown): Members | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined // whatever is in it
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
const countOf = (value: unknown): number => Math.max(0, numberOf(value) ?? 0)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const textsOf = (value: unknown): string[] => listOf(value).filter((one) => typeof one === 'string')

/** Epoch ms of an instant with its zone; `-` and nothing are none. */
function instantOf(value: unknown): number | undefined {
  const at = typeof value === 'string' ? instantIn(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** The last line that is one; how many after it are not. Undefined: there is none. */
export function lastLine(bytes: Buffer): { status: DaguStatus; broken: number } | undefined {
  const lines = bytes.toString('utf8').split('\n')
  let broken = 0
  for (const line of lines.reverse()) {
    if (line.trim() === '') continue
    const status = statusOf(line)
    if (status) return { status, broken }
    broken++
  }
  return undefined
}

function statusOf(line: string): DaguStatus | undefined {
  let found: Members | undefined
  try {
    found = members(JSON.parse(line))
  } catch {
    return undefined
  }
  const name = textOf(found?.name)
  const dagRunId = textOf(found?.dagRunId)
  const status = numberOf(found?.status)
  if (!found || name === undefined || dagRunId === undefined || status === undefined) return undefined
  const handlers: DaguStatus['handlers'] = {}
  // 2.x calls the third one `onAbort`.
  const named: Members = { ...found, onCancel: found.onCancel ?? found.onAbort }
  for (const place of ['onSuccess', 'onFailure', 'onCancel', 'onExit'] as const) {
    const node = nodeOf(named[place])
    if (node) handlers[place] = node
  }
  const { paramsList, params } = found
  return {
    name,
    dagRunId,
    status,
    handlers,
    nodes: listOf(found.nodes).flatMap((node) => nodeOf(node) ?? []),
    params: Array.isArray(paramsList) ? textsOf(paramsList) : (textOf(params)?.split(/\s+/) ?? []),
    ...present({
      parent: textOf(members(found.parent)?.id),
      queuedAt: instantOf(found.queuedAt),
      startedAt: instantOf(found.startedAt),
      finishedAt: instantOf(found.finishedAt),
      log: textOf(found.log),
      error: textOf(found.error)
    })
  }
}

function nodeOf(value: unknown): DaguNode | undefined {
  const found = members(value)
  const step = members(found?.step)
  const name = textOf(step?.name)
  const status = numberOf(found?.status)
  if (!found || !step || name === undefined || status === undefined) return undefined
  const called = [...listOf(found.childrenRepeated), ...listOf(found.children), ...listOf(found.subRuns)]
  const conditions = listOf(step.preconditions)
    .map(members)
    .filter((one) => one !== undefined)
  return {
    name,
    status,
    retryCount: countOf(found.retryCount),
    doneCount: countOf(found.doneCount),
    depends: textsOf(step.depends),
    command: commandOf(step),
    children: called.flatMap((child) => {
      const dagRunId = textOf(members(child)?.dagRunId)
      return dagRunId === undefined ? [] : [{ dagRunId, params: textOf(members(child)?.params) ?? '' }]
    }),
    ...present({
      startedAt: instantOf(found.startedAt),
      finishedAt: instantOf(found.finishedAt),
      stdout: textOf(found.stdout),
      stderr: textOf(found.stderr),
      error: textOf(found.error),
      output: outputOf(step.output, members(found.outputVariables)),
      conditions: conditions.length > 0 ? conditions.map(conditionOf) : undefined
    })
  }
}

const conditionOf = ({ error }: Members): ConditionResult => {
  const text = textOf(error)
  return { matched: text === undefined, error: text ?? '' }
}

/** Recorded as `NAME=value` below the name. */
function outputOf(output: unknown, variables: Members | undefined): string | undefined {
  const name = (textOf(output) ?? textOf(members(output)?.name))?.replace(/^\$/, '')
  const written = name === undefined ? undefined : variables?.[name]
  if (typeof written !== 'string') return undefined
  return written.startsWith(`${name}=`) ? written.slice((name ?? '').length + 1) : written
}

function commandOf(step: Members): string {
  const several = listOf(step.commands).flatMap((one) => textOf(members(one)?.cmdWithArgs) ?? [])
  const call = textOf(members(step.childDag)?.name) ?? textOf(members(step.subDag)?.name)
  const one = textOf(step.cmdWithArgs) ?? textOf(step.command) ?? textOf(step.script)
  return several.join('\n') || (one ?? (call === undefined ? '' : `call ${call}`))
}
