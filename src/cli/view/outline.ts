/** What a run would do, as a tree. Source: api-semantics 11 (dry). */
import type { OutlineStep, RunOutline } from '../../definition/dag/outline.ts'
import type { Paint } from './paint.ts'
import { columnsOf, counted, harmless, oneLine, padded } from './text.ts'

/** How many lines of a script are shown. */
const SCRIPT_LINES = 5

/** The lines of the tree. */
export function outlineLines(
  { name, params, preconditions, levels, handlers, maxActiveSteps }: RunOutline,
  paint: Paint
) {
  const steps = levels.reduce((count, level) => count + level.length, 0)
  const size = `${counted(steps, 'step')} in ${counted(levels.length, 'level')}`
  return [
    `${paint('bold', oneLine(name))}  ${size}; nothing is executed`,
    ...(params ? [`params: ${oneLine(params)}`] : []),
    ...preconditions.map((text) => `precondition: ${oneLine(text)}`),
    ...(maxActiveSteps > 0 ? [`at most ${counted(maxActiveSteps, 'step')} at a time`] : []),
    ...levels.flatMap((level, index) => group(`level ${index + 1}`, level, paint)),
    ...(handlers.length > 0 ? group('handlers', handlers, paint) : [])
  ]
}

function group(title: string, steps: readonly OutlineStep[], paint: Paint): string[] {
  const width = Math.max(0, ...steps.map(({ name }) => columnsOf(oneLine(name))))
  return [
    paint('faint', title),
    ...steps.flatMap((step, index) => {
      const isLast = index === steps.length - 1
      const [first = '', ...more] = bodyOf(step)
      const name = padded(oneLine(step.name), width)
      const rail = paint('faint', isLast ? '  ' : '│ ')
      return [
        `${paint('faint', isLast ? '└─' : '├─')} ${name}  ${first}`.trimEnd(),
        ...more.map((line) => `${rail} ${' '.repeat(width)}  ${line}`.trimEnd())
      ]
    })
  ]
}

/** The notes of a step, its command first. */
function bodyOf({ does, executor, depends, preconditions, calls }: OutlineStep): string[] {
  const lines = harmless(does).split('\n')
  const shown = lines.slice(0, SCRIPT_LINES)
  const hidden = lines.length - shown.length
  const after = depends.length > 0 ? [`after: ${depends.map(oneLine).join(', ')}`] : []
  return [
    ...(calls
      ? callLines(calls)
      : executor === 'shell'
        ? shown
        : [`${executor}: ${shown[0] ?? ''}`, ...shown.slice(1)]),
    ...(hidden > 0 ? [`… ${counted(hidden, 'more line')}`] : []),
    ...after,
    ...preconditions.map((text) => `precondition: ${oneLine(text)}`)
  ]
}

function callLines({ name, local, params, items }: NonNullable<OutlineStep['calls']>): string[] {
  const each =
    items === undefined
      ? ''
      : `, once for each of ${typeof items === 'number' ? counted(items, 'item') : oneLine(items)}`
  return [
    `calls ${oneLine(name)}${local ? ' (in the same file)' : ''}${each}`,
    ...(params ? [`with: ${oneLine(params)}`] : [])
  ]
}
