/** The note beside the status of a node: why it failed, what it waits for, its repetition. */
import type { Node, RunDetails, WaitingFor } from '../../client/index.ts'
import { durationText, instant } from './text.ts'

/** @param now epoch ms, for the remaining time of a wait */
export function noteOf(node: Node, now: number): string {
  const { step, statusLabel: status, error: message, exitCode, waitingFor, next } = node
  const [error = ''] = message.split('\n', 1) // the other lines quote the log
  const notes: string[] = []
  if (status === 'failed')
    notes.push(interruptedHint(error) || error || (exitCode === undefined ? '' : `exit code ${exitCode}`))
  else if (status === 'skipped') notes.push(error || (step.preconditions?.find(({ matched }) => !matched)?.error ?? ''))
  else if (status !== 'not_started') notes.push(error)
  if (status === 'running' && waitingFor) notes.push(waitingNote(waitingFor, now))
  else if (status === 'running' && next) notes.push(`${nextNote(node, next)} in ${durationText(next.atMs - now)}`)
  else notes.push(passNote(node), retriesNote(node))
  return notes.filter(Boolean).join(', ')
}

/** The error alone does not say what can be done. Source: execution-semantics 13.5.3. */
const interruptedHint = (error: string) =>
  error.includes('interrupted: outcome unknown')
    ? `${error}; onInterrupt in the definition says what becomes of such a step: resume (default), fail or rerun`
    : ''

/** For what it waits says the word of its status. */
function waitingNote({ ask, until }: WaitingFor, now: number): string {
  const end = instant(until)
  const [first = ''] = ask.split('\n', 1)
  return [end === undefined ? '' : `${durationText(end - now)} left`, first].filter(Boolean).join(': ')
}

const nextNote = ({ step, retryCount, doneCount }: Node, { what }: NonNullable<Node['next']>): string =>
  what === 'repeat'
    ? `pass ${doneCount + 1}${ofLimit(step.repeatPolicy?.limit)}`
    : `retry ${retryCount}${ofLimit(step.retryPolicy?.limit)}`

/** A limit that contains variables is unknown here; 0: no limit. */
const ofLimit = (limit: number | string | undefined) => (typeof limit === 'number' && limit > 0 ? ` of ${limit}` : '')

function passNote({ step: { repeatPolicy }, statusLabel, doneCount }: Node): string {
  if (!repeatPolicy) return ''
  if (statusLabel === 'running') return `pass ${doneCount + 1}${ofLimit(repeatPolicy.limit)}`
  return doneCount > 1 ? `${doneCount} passes` : ''
}

const retriesNote = ({ retryCount }: Node) =>
  retryCount === 0 ? '' : retryCount === 1 ? '1 retry' : `${retryCount} retries`

/** The note of a node that waits only for `maxActiveSteps`; else empty. */
export function slotNote({ statusLabel, maxActiveSteps = 0, nodes }: RunDetails): (node: Node) => string {
  const working = nodes.filter((node) => !isWait(node))
  const running = working.filter(({ statusLabel }) => statusLabel === 'running').length
  if (statusLabel !== 'running' || maxActiveSteps === 0 || running < maxActiveSteps) return () => ''
  const settled = new Set(nodes.flatMap((node) => (isOver(node) ? [node.step.name] : [])))
  const ready = new Set(
    working.filter(
      ({ step: { depends = [] }, statusLabel }) =>
        statusLabel === 'not_started' && depends.every((name) => settled.has(name))
    )
  )
  return (node) => (ready.has(node) ? `waits for a slot (maxActiveSteps ${maxActiveSteps})` : '')
}

/** Takes no slot. */
const isWait = ({ step: { executor } }: Node) =>
  executor !== undefined && /^(signal|approval|sleep)$/.test(executor.type)
const isOver = ({ statusLabel }: Node) => statusLabel !== 'not_started' && statusLabel !== 'running'
