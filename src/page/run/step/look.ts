/** How a program wants its text to look: the codes of SGR sequences. */

/** A number for one of sixteen colors, or any other as CSS. */
type Colour = number | string

export interface Look {
  ink?: Colour
  ground?: Colour
  /** Classes. */
  marks: readonly Mark[]
}
type Mark = (typeof MARKS)[number]

const MARKS = ['strong', 'dim', 'underlined', 'inverse'] as const
const ON: Partial<Record<number, Mark>> = { 1: 'strong', 2: 'dim', 4: 'underlined', 7: 'inverse' }
const OFF: Partial<Record<number, readonly Mark[]>> = { 22: ['strong', 'dim'], 24: ['underlined'], 27: ['inverse'] }

export const PLAIN: Look = { marks: [] }

/** Classes, by the last digit of the color's number. Black and white are the page's text color: one of the two would be unreadable. */
export const COLOURS = ['', 'ink-red', 'ink-green', 'ink-yellow', 'ink-blue', 'ink-magenta', 'ink-cyan', '']

/** @param codes such as `1;32`; none is 0 */
export function lookAfter(before: Look, codes: string): Look {
  // With colons a color is one code: 38:2::R:G:B has a color space, 38:2:R:G:B none.
  const wanted = codes.split(';').flatMap((code) => (code.includes(':') ? withColons(code) : [number(code)]))
  let look = before
  for (let at = 0; at < wanted.length; at++) {
    const code = wanted[at] ?? 0
    const [kind, ...values] = wanted.slice(at + 1)
    if (code === 38 || code === 48 || code === 58) {
      const colour = kind === 5 ? ofPalette(values[0] ?? 0) : kind === 2 ? rgb(values.slice(0, 3)) : undefined
      if (code === 38) look = withColour(look, 'ink', colour)
      if (code === 48) look = withColour(look, 'ground', colour)
      at += kind === 5 ? 2 : kind === 2 ? 4 : 0
    } else look = after(look, code)
  }
  return look
}

function after(look: Look, code: number): Look {
  if (code === 0) return PLAIN
  const on = ON[code]
  if (on) return { ...look, marks: MARKS.filter((mark) => mark === on || look.marks.includes(mark)) }
  const off = OFF[code]
  if (off) return { ...look, marks: look.marks.filter((mark) => !off.includes(mark)) }
  if (code >= 30 && code <= 37) return withColour(look, 'ink', code - 30)
  if (code >= 90 && code <= 97) return withColour(look, 'ink', code - 82)
  if (code >= 40 && code <= 47) return withColour(look, 'ground', code - 40)
  if (code >= 100 && code <= 107) return withColour(look, 'ground', code - 92)
  if (code === 39) return withColour(look, 'ink', undefined)
  return code === 49 ? withColour(look, 'ground', undefined) : look
}

const number = (code: string): number => Number.parseInt(code || '0', 10)

function withColons(code: string): number[] {
  const [what = 0, kind = 0, ...values] = code.split(':').map(number)
  if (what === 4) return [kind === 0 ? 24 : 4]
  return [what, kind, ...(kind === 2 ? values.slice(-3) : values)]
}

function withColour({ ink, ground, marks }: Look, what: 'ink' | 'ground', colour: Colour | undefined): Look {
  const colours = { ink, ground, [what]: colour }
  return {
    marks,
    ...(colours.ink === undefined ? {} : { ink: colours.ink }),
    ...(colours.ground === undefined ? {} : { ground: colours.ground })
  }
}

const rgb = (values: readonly number[]): string =>
  `rgb(${[0, 1, 2].map((at) => Math.min(255, values[at] || 0)).join(' ')})`

/** A color of the palette of 256: the sixteen, a cube of 216, and 24 grays. */
function ofPalette(index: number): Colour {
  if (index < 16) return index
  if (index > 231) return rgb([0, 0, 0].fill(8 + (Math.min(index, 255) - 232) * 10))
  const step = (value: number) => (value === 0 ? 0 : 55 + value * 40)
  const at = index - 16
  return rgb([step(Math.floor(at / 36)), step(Math.floor(at / 6) % 6), step(at % 6)])
}
