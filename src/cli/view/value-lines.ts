/** What a step had, as lines. Source: docs/http-api.md "What a step had". */
import type { OperationResult } from '../../client/index.ts'
import type { Paint } from './paint.ts'
import { columnsOf, oneLine, padded } from './text.ts'

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
