/** Escape sequences in the output of a program: colors, bold, dim, underline and inverse are kept, all others are removed. */
import { lastState, SEQUENCE } from '../../../platform/seen-text.ts'
import { COLOURS, type Look, lookAfter, PLAIN } from './look.ts'

/** A part of a line in one style. */
export interface Painted {
  text: string
  /** Classes of the text; empty for none. */
  look: string
  /** Colors that the page has no class for, such as `rgb(1 2 3)`. */
  ink?: string
  ground?: string
}

export interface PaintedLine {
  parts: Painted[]
  /** What the next line begins with. */
  after: Look
}

/** @param before the look that the line before ended with */
export function paintedLine(line: string, before: Look = PLAIN): PaintedLine {
  const parts: Painted[] = []
  const seen = lastState(line)
  let look = before
  let from = 0
  const add = (until: number) => {
    const part = line.slice(Math.max(from, seen.from), Math.min(until, seen.until))
    if (part === '') return
    const painted = paint(part, look)
    const last = parts.at(-1)
    if (last && last.look === painted.look && last.ink === painted.ink && last.ground === painted.ground)
      last.text += part
    else parts.push(painted)
  }
  for (const found of line.matchAll(SEQUENCE)) {
    add(found.index)
    from = found.index + found[0].length
    if (found[1] !== undefined) look = lookAfter(look, found[1])
  }
  add(line.length)
  return { parts, after: look }
}

function paint(text: string, look: Look): Painted {
  const { ink, ground } = look
  const isInverse = look.marks.includes('inverse') && (ground !== undefined || typeof ink === 'string')
  const marks = isInverse ? look.marks.filter((mark) => mark !== 'inverse') : look.marks
  const [front, back] = isInverse ? [ground, ink ?? 0] : [ink, ground]
  if (back !== undefined) {
    const shown = cssOf(back)
    return { text, look: marks.join(' '), ink: front === undefined ? onTopOf(shown) : cssOf(front), ground: shown }
  }
  if (typeof front === 'string') return { text, look: ['ink-other', ...marks].join(' '), ink: front }
  const named = front === undefined ? '' : (COLOURS[front % 8] ?? '')
  return { text, look: [named, ...marks].filter(Boolean).join(' ') }
}

const cssOf = (colour: number | string): string =>
  typeof colour === 'string' ? colour : (SIXTEEN[colour] ?? 'rgb(0 0 0)')

/** Black or white, whichever can be read better on it. */
function onTopOf(ground: string): string {
  const [red = 0, green = 0, blue = 0] = (ground.match(/\d+/g) ?? []).map(Number)
  return red * 0.3 + green * 0.59 + blue * 0.11 > 125 ? 'rgb(0 0 0)' : 'rgb(255 255 255)'
}

/** The sixteen, where a program sets the ground, too: then both are as it wants them. */
const SIXTEEN = [
  'rgb(0 0 0)',
  'rgb(170 0 0)',
  'rgb(0 130 0)',
  'rgb(150 100 0)',
  'rgb(0 0 190)',
  'rgb(160 0 160)',
  'rgb(0 130 140)',
  'rgb(200 200 200)',
  'rgb(100 100 100)',
  'rgb(255 90 90)',
  'rgb(90 230 90)',
  'rgb(245 235 90)',
  'rgb(110 140 255)',
  'rgb(255 110 255)',
  'rgb(90 230 240)',
  'rgb(255 255 255)'
]
