/** JSON that only passes through: its numbers keep their digits on the way from text to text. Source: docs/definition-format.md. */
import { isLosslessNumber, parse, stringify } from 'lossless-json'
import type { Json } from '../../../machines/vocabulary.ts'

/** The last of equal keys counts, as for `JSON.parse`. */
const LAST = { onDuplicateKey: ({ newValue }: { newValue: unknown }) => newValue }

// D1613: a value that only passes through keeps its digits
/** JSON whose numbers are objects, which `exactText` writes as they were. @throws SyntaxError */
export const exactJson = (text: string): Json => parse(text, null, LAST) as Json // nobody but `exactText` reads its numbers

/** @param space of an indentation; absent: in one line */
export const exactText = (value: unknown, space?: number): string => stringify(value, null, space) ?? 'null'

/** A number that would be written otherwise again, as `1.10` and 2^60, is text. @throws SyntaxError */
export const writtenJson = (text: string): Json =>
  parse(text, null, {
    ...LAST,
    parseNumber: (written) => (String(Number(written)) === written ? Number(written) : written)
  }) as Json // the rest is JSON

/** The value, with numbers as they were written. */
export function withDigits(value: unknown, written: unknown): unknown {
  if (isLosslessNumber(written)) return Number(written.toString()) === value ? written : value
  if (Array.isArray(value) && Array.isArray(written))
    return value.map((item, index) => withDigits(item, written[index]))
  if (isMap(value) && isMap(written))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withDigits(item, written[key])]))
  return value
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
