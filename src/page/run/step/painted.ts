/** Escape sequences in the output of a program: colors and bold are kept, all others are removed. */

/** A part of a text in one style; `look`: its classes, empty for none. */
export interface Painted {
  text: string
  look: string
}

/** An unterminated one extends to the end of its line. The first group: the codes of a sequence that sets the style. */
const SEQUENCE =
  /(?:\x1b\[|\x9b)(?:([\d;:]*)m|[0-?]*[ -/]*[@-~]?)|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g

/** By the last digit of the color's number. Black and white become the page's text color: one of the two would be unreadable. */
const COLOURS = ['', 'ink-red', 'ink-green', 'ink-yellow', 'ink-blue', 'ink-magenta', 'ink-cyan', '']

interface Look {
  colour: string
  isBold: boolean
}
const PLAIN: Look = { colour: '', isBold: false }

/** The parts of a text in order; together they are the text without its sequences. */
export function painted(text: string): Painted[] {
  const parts: Painted[] = []
  let look = PLAIN
  let from = 0
  const add = (until: number) => {
    const part = text.slice(from, until)
    if (part === '') return
    const classes = [look.colour, look.isBold ? 'strong' : ''].filter(Boolean).join(' ')
    const before = parts.at(-1)
    if (before?.look === classes) before.text += part
    else parts.push({ text: part, look: classes })
  }
  for (const found of text.matchAll(SEQUENCE)) {
    add(found.index)
    from = found.index + found[0].length
    if (found[1] !== undefined) look = lookAfter(look, found[1])
  }
  add(text.length)
  return parts
}

/** @param codes such as `1;32`; none is 0 */
function lookAfter(before: Look, codes: string): Look {
  let { colour, isBold } = before
  // With colons the whole color is one code.
  const wanted = codes.split(';').map((code) => Number.parseInt(code || '0', 10))
  for (let at = 0; at < wanted.length; at++) {
    const code = wanted[at] ?? 0
    if (code === 0) [colour, isBold] = ['', false]
    else if (code === 1) isBold = true
    else if (code === 22) isBold = false
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) colour = COLOURS[code % 10] ?? ''
    else if (code === 38 || code === 48 || code === 58) {
      // One of 256, or RGB: the page has no such color, and its numbers are not codes.
      const [kind, number = 0] = wanted.slice(at + 1)
      if (code === 38) colour = kind === 5 && number < 16 ? (COLOURS[number % 8] ?? '') : ''
      at += kind === 5 ? 2 : kind === 2 ? 4 : 0
    } else if (code === 39) colour = ''
  }
  return { colour, isBold }
}
