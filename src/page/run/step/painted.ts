/** What a program means by the escape sequences in its output: colours and bold. Whatever else they ask of a terminal is left out. */

/** A part of a text that looks the same all over; `look`: its classes, empty for none. */
export interface Painted {
  text: string
  look: string
}

/** One that ends nowhere is taken as far as its line. The first group: what is set, of a sequence that sets how text looks. */
const SEQUENCE =
  /(?:\x1b\[|\x9b)(?:([\d;:]*)m|[0-?]*[ -/]*[@-~]?)|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g

/** By the last digit of a colour's number. Black and white are those of the page, on which one of the two could not be read. */
const COLOURS = ['', 'ink-red', 'ink-green', 'ink-yellow', 'ink-blue', 'ink-magenta', 'ink-cyan', '']

interface Look {
  colour: string
  isBold: boolean
}
const PLAIN: Look = { colour: '', isBold: false }

/** The parts of a text in their order; together they are the text without its sequences. */
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
  // With colons all of a colour is one code.
  const wanted = codes.split(';').map((code) => Number.parseInt(code || '0', 10))
  for (let at = 0; at < wanted.length; at++) {
    const code = wanted[at] ?? 0
    if (code === 0) [colour, isBold] = ['', false]
    else if (code === 1) isBold = true
    else if (code === 22) isBold = false
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) colour = COLOURS[code % 10] ?? ''
    else if (code === 38 || code === 48 || code === 58) {
      // One of 256, or red, green and blue: there is none like it here, and its numbers are no codes.
      const [kind, number = 0] = wanted.slice(at + 1)
      if (code === 38) colour = kind === 5 && number < 16 ? (COLOURS[number % 8] ?? '') : ''
      at += kind === 5 ? 2 : kind === 2 ? 4 : 0
    } else if (code === 39) colour = ''
  }
  return { colour, isBold }
}
