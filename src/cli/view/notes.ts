/** The note beside the status of a node: why it failed, what it waits for, its repetition. */
import type { NodeRecord, Step } from '../../../machines/vocabulary.ts'
import type { HandlerView, RunView } from '../../engine/engine.ts'
import { durationText } from './text.ts'

/** @param now epoch ms, for the remaining time of a wait */
export function noteOf({ step, node, wait }: HandlerView, now: number): string {
  const { status, error: message = '', exitCode, conditions = [] } = node
  const [error = ''] = message.split('\n', 1) // the other lines quote the log
  const notes: string[] = []
  if (status === 'failed')
    notes.push(interruptedHint(error) || error || (exitCode === undefined ? '' : `exit code ${exitCode}`))
  else if (status === 'skipped') notes.push(error || (conditions.find(({ matched }) => !matched)?.error ?? ''))
  else if (status !== 'not_started') notes.push(error)
  if (status === 'running' && wait) notes.push(waitingNote(step, node, wait, now))
  else notes.push(passNote(step, node), retriesNote(node))
  return notes.filter(Boolean).join(', ')
}

/** The error alone does not say what can be done. Source: execution-semantics 13.5.3. */
const interruptedHint = (error: string) =>
  error.includes('interrupted: outcome unknown')
    ? `${error}; onInterrupt in the definition says what becomes of such a step: resume (default), fail or rerun`
    : ''

function waitingNote(step: Step, node: NodeRecord, wait: NonNullable<HandlerView['wait']>, now: number): string {
  const left = wait.until === undefined ? '' : durationText(wait.until - now)
  if (wait.for === 'sleep') return `sleeps for ${left}`
  if (wait.for === 'signal' || wait.for === 'approval') {
    const [ask = ''] = wait.ask.split('\n', 1)
    return `waits for ${wait.for === 'signal' ? 'a signal' : 'approval'}${left && ` for ${left}`}${ask && `: ${ask}`}`
  }
  return `${waitNote(step, node, wait)} in ${left}`
}

function waitNote(step: Step, { retryCount, doneCount }: NodeRecord, wait: NonNullable<HandlerView['wait']>): string {
  if (wait.for === 'repeat') return `pass ${doneCount + 1}${ofLimit(step.repeat?.limit)}`
  return `retry ${retryCount}${ofLimit(step.retry.limit)}`
}

/** A limit that contains variables is unknown here; 0: no limit. */
const ofLimit = (limit: number | string | undefined) => (typeof limit === 'number' && limit > 0 ? ` of ${limit}` : '')

function passNote({ repeat }: Step, { status, doneCount }: NodeRecord): string {
  if (!repeat) return ''
  if (status === 'running') return `pass ${doneCount + 1}${ofLimit(repeat.limit)}`
  return doneCount > 1 ? `${doneCount} passes` : ''
}

const retriesNote = ({ retryCount }: NodeRecord) =>
  retryCount === 0 ? '' : retryCount === 1 ? '1 retry' : `${retryCount} retries`

/** The note of a node that waits only for `maxActiveSteps`; else empty. */
export function slotNote({ run, plan: { maxActiveSteps }, nodes }: RunView): (view: HandlerView) => string {
  const running = nodes.filter(({ step, node }) => node.status === 'running' && !step.wait).length
  if (run.status !== 'running' || maxActiveSteps === 0 || running < maxActiveSteps) return () => ''
  const settled = new Set(nodes.flatMap(({ step, node }) => (isOver(node) ? [step.name] : [])))
  const ready = new Set(
    nodes.filter(
      ({ step, node }) => node.status === 'not_started' && !step.wait && step.depends.every((name) => settled.has(name))
    )
  )
  return (view) => (ready.has(view) ? `waits for a slot (maxActiveSteps ${maxActiveSteps})` : '')
}

const isOver = ({ status }: NodeRecord) => status !== 'not_started' && status !== 'running'
