/**
 * Reads texts that overflow the stack of a YAML parser, in a separate process, because what they provoke is an abort.
 * Prints one JSON line: how many texts were read, and how many were refused.
 */
import { readDefinition } from '../../../src/definition/read.ts'

const KB = 1024
const shapes = [
  '[',
  '{a: ',
  '[{',
  '{a: [',
  '- ',
  '? ',
  ': ',
  '? : ',
  '- ? ',
  'a: ',
  'a: b: c: d\n',
  '"a": ',
  '{? ',
  '[a: ',
  '&a [',
  '!!seq ['
]
const sizes = [2 * KB, 10 * KB, 40 * KB, ...Array.from({ length: 40 }, (_, index) => 1600 + index * 185)]
const indented = (levels: number, mark: string) =>
  Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}${mark}\n`).join('')

const texts = [
  ...shapes.flatMap((shape) => sizes.map((size) => shape.repeat(size / shape.length))),
  ...[100, 400, 1000, 1400].flatMap((levels) => ['a:', '-', '?'].map((mark) => indented(levels, mark))),
  ...[2 * KB, 40 * KB].map((size) => `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`)
]

let refused = 0
for (const text of texts) {
  const { plan, problems } = readDefinition(text, { fallbackName: 'attack' })
  if (!plan && problems.length > 0) refused++
}
console.log(JSON.stringify({ texts: texts.length, refused }))
