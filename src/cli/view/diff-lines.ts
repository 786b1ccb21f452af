/** What is different between two runs, as lines. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunDiff } from '../../client/index.ts'
import { type Paint, shownStatus, statusCell } from './paint.ts'
import { type Cell, tableLines } from './table.ts'
import { cut, durationText, harmless, oneLine } from './text.ts'

const WIDEST_VALUE = 60

type StepTime = RunDiff['steps'][number]['before']
type ChangedText = RunDiff['params'][number]

/** @param room columns that there are, for the table of the steps */
export function diffLines(before: RunKey, after: RunKey, diff: RunDiff, paint: Paint, room?: number): string[] {
  const { params, env, definition, definitionChanged, steps, event, outputs } = diff
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', paint('bold', title), ...lines]
  const moved = steps.filter(({ before, after }) => before?.status !== after?.status)
  return [
    `before: run ${before.dagRunId} of ${before.name}`,
    `after:  run ${after.dagRunId} of ${after.name}`,
    ...part('Params', changed(params, paint)),
    ...part('Variables', [
      ...env.removed.map((name) => paint('red', `- ${oneLine(name)}`)),
      ...env.added.map((name) => paint('green', `+ ${oneLine(name)}`))
    ]),
    ...part('Definition', definitionOf(definitionChanged, definition, paint)),
    ...part(moved.length === 0 ? 'Steps (all ended alike)' : 'Steps', stepLines(steps, paint, room)),
    ...part('First event that differs', event ? eventLines(event) : []),
    ...part('Outputs', changed(outputs, paint))
  ]
}

const changed = (texts: readonly ChangedText[], paint: Paint) =>
  texts.flatMap(({ name, before, after }) => [
    ...(before === undefined ? [] : [paint('red', `- ${assignment(name, before)}`)]),
    ...(after === undefined ? [] : [paint('green', `+ ${assignment(name, after)}`)])
  ])
const assignment = (name: string, value: string) => `${oneLine(name)}=${cut(oneLine(value), WIDEST_VALUE)}`

function definitionOf(isChanged: boolean, patch: string | undefined, paint: Paint): string[] {
  if (!isChanged) return []
  if (patch === undefined) return ['they are too different to be compared line by line']
  return patchLines(patch, paint)
}

/** Lines of a unified diff with the names of two files, which are left out. */
export const patchLines = (patch: string, paint: Paint): string[] =>
  harmless(patch)
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((line) => paint(line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : undefined, line))

const stepLines = (steps: RunDiff['steps'], paint: Paint, room?: number) =>
  tableLines(
    ['step', 'before', '', 'after', '', 'change'],
    steps.map(({ name, before, after }): Cell[] => [
      oneLine(name),
      ...cellsOf(before),
      ...cellsOf(after),
      changeOf(before?.ms, after?.ms)
    ]),
    paint,
    room
  )

const cellsOf = (time: StepTime): Cell[] =>
  time
    ? [statusCell(shownStatus(time.statusLabel)), time.ms === undefined ? '' : durationText(time.ms)]
    : ['absent', '']

/** Such as `+25%`. */
function changeOf(before: number | undefined, after: number | undefined): string {
  if (!before || after === undefined) return ''
  const percent = Math.round(((after - before) / before) * 100)
  return `${percent > 0 ? '+' : ''}${percent}%`
}

const eventLines = ({ before, after }: NonNullable<RunDiff['event']>): string[] => [
  `before: ${before ? eventText(before) : 'nothing more from this actor'}`,
  `after:  ${after ? eventText(after) : 'nothing more from this actor'}`
]
const eventText = ({ seq, actor, event, to }: NonNullable<NonNullable<RunDiff['event']>['before']>) =>
  `event ${seq}, ${oneLine(actor)}: ${event} -> ${to}`
