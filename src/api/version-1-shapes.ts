/** Definitions and runs as clients of the old API know them: other names, the same facts. Source: api-semantics 9.4. */
import type { NodeRecord } from '../../machines/vocabulary.ts'
import type { RunView } from '../engine.ts'
import { gridShape, type runDetails, type runSummary } from './shapes.ts'

type Summary = ReturnType<typeof runSummary>
type Details = ReturnType<typeof runDetails>
type Node = Details['nodes'][number]

/** Members of a step that have another name than their own in capitals. */
const STEP_NAMES: Readonly<Record<string, string>> = { cmdWithArgs: 'CmdWithArgs', id: 'ID' }

export const statusShapeV1 = (run: Summary) => ({
  RequestId: run.dagRunId,
  Name: run.name,
  Status: run.status,
  StatusText: run.statusLabel,
  StartedAt: run.startedAt,
  FinishedAt: run.finishedAt,
  Log: run.log,
  Params: run.params
})

const nodeShapeV1 = (node: Node) => ({
  Step: capitalized(node.step),
  Log: node.stdout,
  StartedAt: node.startedAt,
  FinishedAt: node.finishedAt,
  Status: node.status,
  StatusText: node.statusLabel,
  RetryCount: node.retryCount,
  DoneCount: node.doneCount,
  Error: node.error
})

export const detailsShapeV1 = (run: Details) => ({
  ...statusShapeV1(run),
  Nodes: run.nodes.map(nodeShapeV1),
  OnSuccess: run.onSuccess && nodeShapeV1(run.onSuccess),
  OnFailure: run.onFailure && nodeShapeV1(run.onFailure),
  OnCancel: run.onCancel && nodeShapeV1(run.onCancel),
  OnExit: run.onExit && nodeShapeV1(run.onExit)
})

/** Each run, newest first, and one row of node statuses for each step name. */
export const historyShapeV1 = (views: readonly RunView[], details: readonly Details[]) => ({
  Logs: details.map((run) => ({ File: run.log, Status: detailsShapeV1(run) })),
  GridData: gridShape(views).map(({ name, history }) => ({ Name: name, Vals: history }))
})

/** Summary or details of a definition, its members' names begun with a capital; so are those of its steps. */
export function capitalized(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      STEP_NAMES[name] ?? name.charAt(0).toUpperCase() + name.slice(1),
      Array.isArray(member)
        ? member.map((item) => (isMap(item) ? capitalized(item) : item))
        : isMap(member)
          ? capitalized(member)
          : member
    ])
  )
}

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Log file of a node's output; undefined: there is no such step, or it has none. */
export const logOfStep = ({ nodes, handlers }: RunView, step: string): string | undefined => {
  const node: NodeRecord | undefined =
    nodes.find((view) => view.step.name === step)?.node ??
    Object.entries(handlers).find(([kind]) => kind === step)?.[1]?.node
  return node?.stdout
}
