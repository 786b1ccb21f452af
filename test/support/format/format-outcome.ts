/** What came of a case, in the compact form of its `expected.json`: no time, id or path, and nothing that goes without saying. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NodeRecord, NodeStatus, RunStatus, SubRunRef } from '../../../machines/vocabulary.ts'
import type { HandlerView, RunView } from '../../../src/engine/engine.ts'
import { textOf } from '../engine/live.ts'

/** Without `problems` and `refused` there was a run. */
export interface Outcome {
  /** The definition is invalid: its problems. */
  problems?: string[]
  /** The definition is valid and the start was refused: `<code>: <message>`. */
  refused?: string
  /** Values of the plan by path, such as `steps.0.depends`: those that the case asks for. */
  plan?: Record<string, unknown>
  status?: RunStatus
  error?: string
  /** `NAME=value` for each. */
  params?: string[]
  /** Messages of the DAG's preconditions. */
  preconditions?: string[]
  nodes?: Record<string, NodeOutcome>
  /** By name (`onExit`); one that did not run is `not_started`. */
  handlers?: Record<string, NodeOutcome>
  /** Contents of files in the case's folder that the case asks for; null: not there. */
  files?: Record<string, string | null>
}

/**
 * A status alone, when there is nothing to add to it. Left out: empty texts; counts of 0; a doneCount of 1 of a node that
 * succeeded, in part too, or failed; exit code 0 of one that succeeded.
 */
export type NodeOutcome = NodeStatus | NodeDetails
export interface NodeDetails {
  status: NodeStatus
  exitCode?: number
  retryCount?: number
  doneCount?: number
  /** Its continueOn matched. */
  continues?: boolean
  error?: string
  output?: string
  stdout?: string
  stderr?: string
  /** Messages of its preconditions. */
  preconditions?: string[]
  /** `<name> <params>` of each sub run. */
  subRuns?: string[]
}

/** Which of a plan's values and which files a case asks for: those its expectation names. */
export type Asked = Pick<Outcome, 'plan' | 'files'>

/** Replaces what differs from run to run. */
export type Normalise = (text: string) => string

export function normaliser(folder: string, home: string, view?: RunView): Normalise {
  const words: [string, string][] = []
  if (view) {
    const { run, nodes, handlers } = view
    for (const { node, calls } of [...nodes, ...Object.values(handlers)]) {
      if (node.stdout) words.push([node.stdout, `<${node.step}.out>`])
      if (node.stderr) words.push([node.stderr, `<${node.step}.err>`])
      for (const { dagRunId } of [...(calls?.subRuns ?? []), ...(calls?.subRunsRepeated ?? [])])
        words.push([dagRunId, '<sub run>'])
    }
    words.push([run.log, '<run.log>'], [run.dagRunId, '<run>'])
  }
  words.push([folder, '<folder>'], [home, '<home>'])
  return (text) => words.reduce((all, [found, word]) => all.replaceAll(found, word), text)
}

export function outcomeOf(view: RunView, asked: Asked, folder: string, normalise: Normalise): Outcome {
  const { run, plan, nodes, handlers, preconditions } = view
  const node = ({ node, calls }: HandlerView): [string, NodeOutcome] => [
    node.step,
    nodeOutcome(node, calls?.subRuns ?? [], normalise)
  ]
  return {
    ...planAsked(plan, asked),
    status: run.status,
    ...(run.error && { error: normalise(run.error) }),
    ...(run.params.length > 0 && { params: run.params.map(({ name, value }) => normalise(`${name}=${value}`)) }),
    ...(preconditions.length > 0 && { preconditions: preconditions.map(({ error }) => normalise(error)) }),
    ...(nodes.length > 0 && { nodes: Object.fromEntries(nodes.map(node)) }),
    ...(Object.keys(handlers).length > 0 && { handlers: Object.fromEntries(Object.values(handlers).map(node)) }),
    ...filesAsked(folder, asked, normalise)
  }
}

function nodeOutcome(record: NodeRecord, subRuns: SubRunRef[], normalise: Normalise): NodeOutcome {
  const { status, exitCode, retryCount, doneCount, continues, error, output } = record
  const well = status === 'succeeded' || status === 'partially_succeeded'
  const done = well || status === 'failed'
  const texts = { error, output, stdout: textOf(record.stdout), stderr: textOf(record.stderr) }
  const details: NodeDetails = {
    status,
    ...(exitCode !== undefined && !(exitCode === 0 && well) && { exitCode }),
    ...(retryCount !== 0 && { retryCount }),
    ...(doneCount !== (done ? 1 : 0) && { doneCount }),
    ...(continues && { continues }),
    ...Object.fromEntries(Object.entries(texts).flatMap(([key, text]) => (text ? [[key, normalise(text)]] : []))),
    ...(record.conditions?.length && { preconditions: record.conditions.map((one) => normalise(one.error)) }),
    ...(subRuns.length > 0 && {
      subRuns: subRuns.map(({ name, params }) => normalise(params ? `${name} ${params}` : name))
    })
  }
  return Object.keys(details).length === 1 ? status : details
}

/** The values of a plan that a case asks for. */
export function planAsked(plan: unknown, { plan: asked }: Asked): Pick<Outcome, 'plan'> {
  return asked ? { plan: Object.fromEntries(Object.keys(asked).map((path) => [path, at(plan, path) ?? null])) } : {}
}

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((found, key) => (found as Record<string, unknown> | null | undefined)?.[key], value)

/** The files that a case asks for. */
export function filesAsked(folder: string, { files }: Asked, normalise: Normalise): Pick<Outcome, 'files'> {
  const content = (name: string) => {
    const path = join(folder, name)
    return existsSync(path) ? normalise(readFileSync(path, 'utf8')) : null
  }
  return files ? { files: Object.fromEntries(Object.keys(files).map((name) => [name, content(name)])) } : {}
}
