/** Whether runs on workers kept their promises: what the API says of them, against the marks and lines that their steps have left. Source: distribution 1. */
import { logIn, type ShownRun } from '../../support/cli/placing.ts'
import type { Findings } from '../suite.ts'
import type { Cluster } from './cluster.ts'
import type { PlacedAccount } from './placed-loader.ts'
import {
  countedLines,
  type Ending,
  LABELS,
  type Placed,
  type PlacedMark,
  placedMarks,
  SLOTS
} from './placed-workload.ts'

export interface CheckedPlaced {
  runs: number
  executions: number
  lines: number
  /** Most runs that a worker was seen to have at a time. */
  atATime: number
}

type ShownNode = ShownRun['nodes'][number]
type Shown = Omit<ShownRun, 'onExit' | 'onCancel'> & {
  name: string
  dagRunId: string
  onExit: ShownNode | null
  onCancel: ShownNode | null
}

/** Steps without marks of their own. */
const UNMARKED = new Set(['says', 'hears', 'same', 'other', 'calls'])
/** Workflows that are called have a selector of their own, or are where their caller is. */
const CALLED: Record<string, Record<string, string>> = { elsewhere: { zone: 'b' } }

/** Looks at a cluster in which nothing runs any more. */
export async function checkPlaced(
  cluster: Cluster,
  accounts: PlacedAccount[],
  workload: Record<string, Placed>,
  shared: string,
  findings: Findings
): Promise<CheckedPlaced> {
  const marks = placedMarks(shared)
  const counted = countedLines(shared)
  const marksOf = new Map<string, PlacedMark[]>()
  for (const mark of marks) {
    const id = `${mark.dagRunId}.${mark.step}`
    marksOf.set(id, [...(marksOf.get(id) ?? []), mark])
  }
  const checked = { runs: 0, executions: 0, lines: 0, atATime: checkSlots(marks, findings) }
  const known = new Set<string>()

  for (const account of accounts) {
    const { dag, dagRunId, isCertain, isStopped } = account
    const path = `/dag-runs/${dag}/${dagRunId}`
    const run: Shown | undefined = (await cluster.ask(path))?.json?.dagRun
    findings.check(run !== undefined || !isCertain, 'P1', `run ${dagRunId} was acknowledged and is not there`)
    const placed = workload[dag]
    if (!run || !placed) continue
    checkRun(run, placed.selector, placed.ends, placed, isStopped)
    const subRuns: { dagRunId: string }[] = (await cluster.ask(`${path}/sub-dag-runs`))?.json?.subRuns ?? []
    for (const sub of subRuns) {
      const shown: Shown | undefined = (await cluster.ask(`${path}/sub-dag-runs/${sub.dagRunId}`))?.json?.dagRun
      if (shown) checkRun({ ...shown, dagRunId: sub.dagRunId }, CALLED[shown.name] ?? placed.selector, placed.ends)
      else findings.add('P1', `sub run ${sub.dagRunId} of ${dagRunId} cannot be read`)
    }
  }
  for (const { dagRunId } of marks)
    findings.check(known.has(dagRunId), 'P1', `run ${dagRunId} was executed, and there is no such run`)
  return checked

  function checkRun(
    run: Shown,
    selector: Record<string, string>,
    ends: Ending,
    how: Partial<Placed> = {},
    isStopped = false
  ): void {
    const { name, dagRunId, workerId, statusLabel } = run
    const id = `${name}/${dagRunId}`
    known.add(dagRunId)
    checked.runs++
    const asked = isStopped ? 'its stop was acknowledged' : ''
    const why = [asked, run.error ?? '', ...run.nodes.map(({ error }) => error)].filter(Boolean).join(' ')
    findings.check(statusLabel === ends, 'W8', `run ${id} was to end as ${ends}, and is ${statusLabel}: ${why}`)
    if (!run.finishedAt) return // what is missing of it is no news
    const labels = LABELS[workerId] ?? {}
    const fits = Object.entries(selector).every(([label, value]) => labels[label] === value)
    // It may have been stopped before it was placed.
    const isPlaced = workerId !== '' || ends !== 'canceled'
    findings.check(fits || !isPlaced, 'W1', `run ${id} wants ${JSON.stringify(selector)}, and is on "${workerId}"`)
    const nodes = [...run.nodes, run.onExit, run.onCancel].filter((node) => node !== null)
    for (const node of nodes) {
      const { name: step } = node.step
      const code = how.codes?.[step] ?? 0
      if (ends !== 'canceled') {
        const error = code === 0 ? '' : `failed to execute step "${step}": exit status ${code}`
        findings.check(
          node.error === error,
          'W8',
          `${id}.${step} is ${node.statusLabel}: "${node.error}", not "${error}"`
        )
      }
      if (!UNMARKED.has(step)) checkNode(run, node, how.begins?.[step] ?? 1, code, ends)
    }
  }

  function checkNode(run: Shown, node: ShownNode, wanted: number, code: number, ends: Ending): void {
    const id = `${run.dagRunId}.${node.step.name}`
    const left = marksOf.get(id) ?? []
    const begun = left.filter(({ what }) => what === 'begin')
    checked.executions += begun.length
    for (const { worker } of left)
      findings.check(worker === run.workerId, 'W1', `${id} of a run on ${run.workerId} was executed on ${worker}`)
    // A step that was stopped may have begun or not, and has left no mark of its end.
    const isStopped = ends === 'canceled' && node.statusLabel !== 'succeeded'
    const times = node.retryCount + 1
    if (isStopped) findings.check(begun.length <= times, 'W3', `${id} has begun ${begun.length} times, not ${times}`)
    else {
      const right = begun.length === wanted && times === wanted
      findings.check(right, 'W3', `${id} has begun ${begun.length} times, not ${wanted}; shown are ${times}`)
      const last = left.at(-1)
      findings.check(last?.code === code, 'W8', `${id} is shown as ended with ${code}, and has marked ${last?.code}`)
    }
    const written = counted.get(id) ?? []
    const shown = logIn(node.stdout).split('\n').slice(0, -1)
    checked.lines += shown.length
    const [pid, number] = written.at(-1)?.split(' ') ?? [begun.at(-1)?.pid, 0]
    const uncounted = isStopped && shown.length > written.length ? [`${pid} ${Number(number) + 1}`] : []
    const at = [...written, ...uncounted].findIndex((line, index) => line !== shown[index])
    const isWhole = at < 0 && shown.length === written.length + uncounted.length
    findings.check(
      isWhole,
      'W9',
      `the log of ${id} (${node.statusLabel}, on ${run.workerId}: ${node.error}) has ${shown.length} lines and not ${written.length}: wrong at ${at}`
    )
  }
}

/** A run has its slot at least from its first mark on a worker to its last. @returns most at a time */
function checkSlots(marks: PlacedMark[], findings: Findings): number {
  const last = new Map<string, number>()
  const idOf = ({ worker, holder }: PlacedMark) => `${worker} ${holder}`
  for (const [index, mark] of marks.entries()) last.set(idOf(mark), index)
  const open = new Map<string, Set<string>>()
  let most = 0
  marks.forEach((mark, index) => {
    const { worker, holder } = mark
    const here = open.get(worker) ?? new Set()
    open.set(worker, here.add(holder))
    most = Math.max(most, here.size)
    findings.check(here.size <= SLOTS, 'W14', `${worker} had ${here.size} runs at a time: ${[...here].join(', ')}`)
    if (last.get(idOf(mark)) === index) here.delete(holder)
  })
  return most
}
