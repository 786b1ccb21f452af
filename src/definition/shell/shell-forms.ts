/**
 * `${X:-default}` and its kin, computed by Troupe where no shell will read the text. Source: execution-semantics 3.1.7.
 * Choice: quotes in the word of a form are text; the forms without a colon (`${X-default}`) work as in a shell.
 */
import { type Place, replaced, withoutPrefix, withoutSuffix } from '../text/glob.ts'
import { matchAt } from '../text/reference.ts'

/** A form as it stands in a text; its word is `text.slice(from, to)`, unexpanded. */
export interface Form {
  name: string
  operator: string
  from: number
  to: number
}

const LENGTH = /\$\{#(\w+)\}/y
const OPERATOR = /\$\{(\w+)(:[-=+?]|[-=+?]|##?|%%?|\/[/#%]?|:)/y

/** The form that begins at `at` and whose closing brace is at `close`, or undefined. */
export function formAt(text: string, at: number, close: number): Form | undefined {
  const [, counted] = matchAt(LENGTH, text, at) ?? []
  if (counted !== undefined) return { name: counted, operator: 'length', from: close, to: close }
  const [head, name = '', operator = ''] = matchAt(OPERATOR, text, at) ?? []
  return head === undefined ? undefined : { name, operator, from: at + head.length, to: close }
}

/** Index of the closing brace of each `${`, by the index of its `$`. A backslash takes the next character's meaning away. */
export function closingBraces(text: string): Map<number, number> {
  const closing = new Map<number, number>()
  const open: number[] = []
  for (const { 0: mark, index } of text.matchAll(/\\[\s\S]|\$\{|\}/g)) {
    if (mark === '${') open.push(index)
    else if (mark === '}') {
      const start = open.pop()
      if (start !== undefined) closing.set(start, index)
    }
  }
  return closing
}

const REPLACE: Record<string, Place> = { '/': 'first', '//': 'all', '/#': 'start', '/%': 'end' }
const RANGE = /^\s*(\d+)(?:\s*:\s*(\d+))?\s*$|^\s+(-\d+)(?:\s*:\s*(\d+))?\s*$/

/**
 * Computes a form. Lengths and offsets count code points.
 * @param value of the variable; undefined: there is none
 * @param word expands a range of the form's word; asked only for what is needed
 * @returns undefined when offset or length are not numbers
 * @throws Error of `:?`: the name and its message
 */
export async function applyForm(
  form: Form,
  text: string,
  value: string | undefined,
  word: (from: number, to: number) => Promise<string>
): Promise<string | undefined> {
  const { name, operator, from, to } = form
  const present = operator.startsWith(':') ? Boolean(value) : value !== undefined
  const held = value ?? ''
  switch (operator) {
    case 'length':
      return String([...held].length)
    case ':-':
    case '-':
    case ':=':
    case '=':
      return present ? held : word(from, to)
    case ':+':
    case '+':
      return present ? word(from, to) : ''
    case ':?':
    case '?':
      if (present) return held
      throw new Error(`${name}: ${(await word(from, to)) || 'parameter null or not set'}`)
    case '#':
    case '##':
      return withoutPrefix(held, await word(from, to), operator === '##')
    case '%':
    case '%%':
      return withoutSuffix(held, await word(from, to), operator === '%%')
    case ':':
      return range(held, await word(from, to))
    default: {
      const slash = slashIn(text, from, to)
      const glob = await word(from, slash)
      return replaced(held, glob, slash < to ? await word(slash + 1, to) : '', REPLACE[operator] ?? 'first')
    }
  }
}

function range(value: string, word: string): string | undefined {
  const [whole, from, length, fromEnd, lengthFromEnd = length] = RANGE.exec(word) ?? []
  if (whole === undefined) return undefined
  const characters = [...value]
  const start = from === undefined ? characters.length + Number(fromEnd) : Number(from)
  if (start < 0) return ''
  return characters.slice(start, lengthFromEnd === undefined ? undefined : start + Number(lengthFromEnd)).join('')
}

/** The slash that ends a pattern: not escaped, not inside another reference. */
function slashIn(text: string, from: number, to: number): number {
  let depth = 0
  for (const { 0: mark, index } of text.slice(from, to).matchAll(/\\[\s\S]|\$\{|[/}]/g)) {
    if (mark === '${') depth++
    else if (mark === '}') depth--
    else if (mark === '/' && depth === 0) return from + index
  }
  return to
}
