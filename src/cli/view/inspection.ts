/** Actors, events, reasons, values, decisions and charts as lines. Source: docs/inspect.md. */
import type { ActorFacts, Explanation, OperationResult, RunFacts } from '../../client/index.ts'
import type { Chart } from '../../engine/engine.ts'
import { SKIPPED } from '../../inspect/exports.ts'
import { glyphOf, type Paint, shownStatus, wordOf } from './paint.ts'
import { clockFace, columnsOf, minuteText, oneLine, padded } from './text.ts'

/** A longer name moves its own line only. */
const WIDEST = 32
const widthOf = (names: readonly string[]) => Math.min(WIDEST, Math.max(0, ...names.map(columnsOf)))

/** The actors as a tree below their run, then the steps that have none. @param tz IANA zone of the times */
export function actorLines(facts: RunFacts, paint: Paint, tz: string): string[] {
  const { name, dagRunId, at, latest, event, nodes, actors } = facts
  const status = shownStatus(facts.statusLabel)
  const time = clockFace(tz)
  const when = event
    ? `event ${at} of ${latest}, ${time(event.atMs)}: ${oneLine(event.event)}`
    : `before its first event, of ${latest}`
  const head = `${glyphOf(status, paint)} ${paint('bold', oneLine(name))}  ${wordOf(status)}  run ${dagRunId}  ${paint('faint', when)}`
  const rows = actors.map((actor) => ({ actor, name: '  '.repeat(depthOf(actor)) + nameOf(actor) }))
  const width = widthOf(rows.map(({ name }) => name))
  const known = new Set(actors.map(({ step }) => step))
  return [
    head,
    ...rows.map(({ actor, name }) => actorLine(actor, padded(name, width), paint, time)),
    ...nodes
      .map(({ step, statusLabel, error }) => ({ step, status: shownStatus(statusLabel), error }))
      .filter(({ step, status }) => !known.has(step) && status !== 'not_started')
      .map(({ step, status, error }) =>
        `${glyphOf(status, paint)} ${oneLine(step)}  ${wordOf(status)}  ${oneLine(error)}`.trimEnd()
      )
  ]
}

const depthOf = ({ machine }: ActorFacts) => (machine === 'run' ? 0 : machine === 'node' ? 1 : 2)
const nameOf = ({ machine, step }: ActorFacts) =>
  machine === 'run' ? 'run' : machine === 'call' ? 'call' : oneLine(step ?? '')

function actorLine(
  { states, sinceMs, seq, accepts, refuses, status }: ActorFacts,
  name: string,
  paint: Paint,
  time: (at: number) => string
): string {
  const next = [...accepts, ...refuses.map(({ event, guard }) => `${event} refused by ${guard}`)].filter(
    (event) => !event.startsWith('xstate.')
  )
  const said = status === 'done' || next.length === 0 ? '' : paint('faint', `  takes ${next.join(', ')}`)
  return `${name}  ${states.at(-1) ?? ''}  ${paint('faint', `since ${time(sinceMs)}, event ${seq}`)}${said}`
}

type CausedEvent = OperationResult<'getJournal'>['events'][number]

/** Such as `12 14:03:07 node load  attempting.executing > waiting  attempt.ended  because of 9, 3`. */
export function eventLine(told: CausedEvent, paint: Paint, tz: string): string {
  const { seq, atMs, actor, event, from, to, causes = [] } = told
  const who = actor.startsWith('run/') ? actor.split('/').slice(3).join(' ') || 'run' : actor
  const moved = from === to ? to : `${from === '' ? '' : `${from} > `}${to}`
  const because = causes.length > 0 ? paint('faint', `  because of ${causes.map(({ seq }) => seq).join(', ')}`) : ''
  return `${String(seq).padStart(4)} ${clockFace(tz)(atMs)} ${paint('bold', oneLine(who))}  ${oneLine(moved)}  ${paint('cyan', oneLine(event))}${because}`
}

/** One line per reason, with its subject in front. @param tz IANA zone of the times */
export function reasonLines({ subject, reasons }: Explanation, paint: Paint, tz: string): string[] {
  const time = clockFace(tz)
  if (reasons.length === 0)
    return [
      'dagRunId' in subject
        ? `nothing holds run ${subject.dagRunId} back: it is ${wordOf(shownStatus(subject.statusLabel))}`
        : `nothing holds ${subject.name} back`
    ]
  const width = widthOf(reasons.map(({ about }) => oneLine(about.name)))
  return reasons.flatMap(({ about, cause, text, untilMs, unblock, waiting }) => [
    `${padded(oneLine(about.name), width)}  ${paint(waiting ? 'cyan' : 'yellow', cause)}  ${oneLine(text)}${untilMs === null ? '' : `, until ${time(untilMs)}`}`,
    ...(unblock === '' ? [] : [`${' '.repeat(width)}  ${paint('faint', oneLine(unblock))}`])
  ])
}

/** One line per decision, such as `   7 2026-03-02 10:00 etl  start  skipped  running: its newest run was still running`. @param tz IANA zone of the times */
export function decisionLines({ decisions }: OperationResult<'listDecisions'>, paint: Paint, tz: string): string[] {
  const minute = minuteText(tz)
  const width = widthOf(decisions.map(({ fileName }) => oneLine(fileName)))
  return decisions.map(({ number, fileName, kind, slotMs, outcome, reason, error, catchup, dagRunId }) => {
    const about = [
      ...(reason ? [`${paint('yellow', reason)}: ${SKIPPED[reason]}`] : []),
      ...(error === undefined ? [] : [oneLine(error)]),
      ...(dagRunId === undefined ? [] : [`run ${dagRunId}`]),
      ...(catchup ? [paint('faint', `catchup ${catchup}`)] : [])
    ]
    const what = `${kind.padEnd('restart'.length)}  ${outcome.padEnd('skipped'.length)}`
    return `${String(number).padStart(4)} ${minute(slotMs)} ${padded(oneLine(fileName), width)}  ${what}  ${about.join('  ')}`.trimEnd()
  })
}

/** A chart as an outline: its states and their transitions. */
export function chartLines({ id, description, states, transitions }: Chart): string[] {
  const lines = [`${id}: ${description}`]
  const addTransitions = (all: Chart['transitions'], indent: string) => {
    for (const { event, guard, targets } of all)
      lines.push(
        `${indent}${event === '' ? 'at once' : event}${guard ? ` [${guard}]` : ''}${targets.length > 0 ? ` > ${targets.join(', ')}` : ''}`
      )
  }
  const add = (all: Chart['states'], indent: string) => {
    for (const { key, tags, description, states, transitions } of all) {
      lines.push(`${indent}${key}${tags.length > 0 ? ` (${tags.join(', ')})` : ''}: ${description}`)
      addTransitions(transitions, `${indent}    `)
      add(states, `${indent}  `)
    }
  }
  addTransitions(transitions, '    ')
  add(states, '  ')
  return lines
}

type StepValues = OperationResult<'getStepValues'>
type Value = StepValues['values'][number]

const SIGNS = { changed: '≠', added: '+', removed: '-' } as const

/** Variables that differ or are named by the step, then its texts with their values. The answer as JSON has all of them. */
export function valueLines({ step, against, values, texts, omitted }: StepValues, paint: Paint): string[] {
  const shown = values.filter(({ change, isUsed }) => change !== undefined || isUsed)
  const rest = values.length - shown.length + omitted
  const width = Math.max(0, ...shown.map(({ name }) => columnsOf(oneLine(name))))
  const beside = against
    ? `values of ${oneLine(step)}, beside its last success in ${oneLine(against.name)}:${against.dagRunId}`
    : `values of ${oneLine(step)}, which succeeded in no earlier run`
  return [
    beside,
    ...shown.map(
      (value) => `${signed(value.change, paint)} ${padded(oneLine(value.name), width)}  ${saidOf(value, paint)}`
    ),
    ...(rest > 0 ? [paint('faint', `  and ${rest} that the step does not name: --json has them`)] : []),
    ...texts.flatMap(({ name, written, text = written, change, before }) => [
      `${signed(change, paint)} ${oneLine(name)}: ${oneLine(text)}`,
      ...(before === undefined ? [] : [paint('faint', `  was ${oneLine(before)}`)])
    ])
  ]
}

const signed = (change: Value['change'], paint: Paint): string => (change ? paint('yellow', SIGNS[change]) : ' ')

function saidOf({ value, from, of, before, change }: Value, paint: Paint): string {
  const source = of === undefined ? from : `output of ${of}`
  const shown =
    value === undefined ? (change === 'removed' ? 'absent' : 'not shown') : value === '' ? '""' : oneLine(value)
  const was = before === undefined ? '' : `, was ${before === '' ? '""' : oneLine(before)}`
  return `${shown}${paint('faint', `  ${source}${was}`)}`
}
