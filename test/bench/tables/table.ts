/** From samples to rows, and from rows to the printed table. */
import { median } from '../figures.ts'
import type { Answer } from '../question.ts'

/** One figure that one engine gave to one question in one round. */
export interface Sample extends Answer {
  question: string
  engine: 'Troupe' | 'Dagu'
  round: number
}

export interface Row {
  question: string
  figure: string
  unit: string
  better: 'more' | 'less'
  troupe?: { median: number; values: number[] }
  dagu?: { median: number; values: number[] }
  /** How many times better Troupe was, within each round; below 1: worse. */
  troupeIsBetterBy?: { median: number; values: number[] }
}

/** One row per figure, in the order in which the figures first came. */
export function rowsOf(samples: readonly Sample[]): Row[] {
  const key = ({ question, figure }: Sample) => `${question}\n${figure}`
  const figures = new Map(samples.map((sample) => [key(sample), sample]))
  return [...figures.values()].map((one) => {
    const same = samples.filter((sample) => key(sample) === key(one))
    const { question, figure, unit, better } = one
    const of = (engine: Sample['engine']) => same.filter((sample) => sample.engine === engine)
    const ratios = of('Troupe').flatMap(({ round, value }) => {
      const other = of('Dagu').find((sample) => sample.round === round)?.value
      return other === undefined ? [] : better === 'more' ? value / other : other / value
    })
    return {
      question,
      figure,
      unit,
      better,
      ...summary('troupe', of('Troupe')),
      ...summary('dagu', of('Dagu')),
      ...(ratios.length > 0 ? { troupeIsBetterBy: { median: median(ratios), values: ratios } } : {})
    }
  })
}

function summary(name: 'troupe' | 'dagu', samples: Sample[]): Pick<Row, 'troupe' | 'dagu'> {
  const values = samples.map(({ value }) => value)
  return values.length > 0 ? { [name]: { median: median(values), values } } : {}
}

/** The table as text, with a column for each engine that `versions` names and, when there are two, one for their ratio. */
export function printed(rows: Row[], versions: Partial<Record<Sample['engine'], string>>): string {
  const both = versions.Troupe !== undefined && versions.Dagu !== undefined
  const words = ({ question, figure, unit }: Row) => [question, figure, unit]
  const numbers = ({ troupe, dagu, troupeIsBetterBy }: Row) => [
    ...(versions.Troupe ? [short(troupe?.median)] : []),
    ...(versions.Dagu ? [short(dagu?.median)] : []),
    ...(both ? [short(troupeIsBetterBy?.median, 'x')] : [])
  ]
  const heads = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return beside(
    [['question', 'figure', 'unit'], ...rows.map(words)],
    [both ? [...heads, 'Troupe better by'] : heads, ...rows.map(numbers)]
  )
}

/** Lines of words to the left, and of numbers to the right, in columns. */
export function beside(words: string[][], numbers: string[][]): string {
  const right = aligned(numbers, 'padStart')
  return aligned(words, 'padEnd')
    .map((line, i) => [...line, ...(right[i] ?? [])].join('  '))
    .join('\n')
}

/** The cells of each column made as wide as its widest. */
function aligned(lines: string[][], pad: 'padEnd' | 'padStart'): string[][] {
  const width = (column: number) => Math.max(...lines.map((line) => line[column]?.length ?? 0))
  return lines.map((line) => line.map((cell, column) => cell[pad](width(column))))
}

/** Three significant digits, whole from 100 on; a dash where there is no number. */
export function short(value: number | undefined, unit = ''): string {
  if (value === undefined || !Number.isFinite(value)) return '-'
  return `${Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3))}${unit}`
}
