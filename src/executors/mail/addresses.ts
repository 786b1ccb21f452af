/**
 * Addresses as people write them. This file only finds where one ends and the next begins; each is then parsed by the mail
 * library. That parser is lenient: text that it would skip is reported here. Source: execution-semantics 10.6.2, 10.6.6.
 */

/** An address of a sender or a recipient. */
export interface Mailbox {
  /** `name@domain`, a quoted name and an IP address in brackets allowed. */
  address: string
  /** Display name; often empty. */
  name: string
  /** The whole address as written, on one line. */
  text: string
}

export interface AddressField {
  mailboxes: Mailbox[]
  /** Texts between separators that are no address, as written. */
  wrong: string[]
}

/** Prevents header injection at the end of an address or a subject. */
export const oneLine = (text: string): string => text.replace(/[\r\n\0]+/g, '').trim()

// D650: mail: every piece of an address field must be an address
/**
 * Parses every text between separators as an address or an invalid text. Commas, semicolons and line breaks separate; so do
 * blanks after an address. The members of a `group: a@b, c@d;` are ordinary addresses. Empty texts are skipped.
 * @param texts each ends an address
 */
export async function addressesIn(texts: string[]): Promise<AddressField> {
  const { default: addressparser } = await import('nodemailer/lib/addressparser')
  const field: AddressField = { mailboxes: [], wrong: [] }
  for (const { address, text } of texts.flatMap(piecesOf)) {
    const [found, ...more] = ADDRESS.test(address) ? addressparser(text, { flatten: true }) : []
    if (found && more.length === 0 && ADDRESS.test(found.address))
      field.mailboxes.push({ address: found.address, name: found.name, text })
    else field.wrong.push(text)
  }
  return field
}

/** @param field its name, for the message @returns [] for a blank field @throws Error with every text that is no address */
export async function recipientsIn(texts: string[], field: string): Promise<Mailbox[]> {
  const { mailboxes, wrong } = await addressesIn(texts)
  if (wrong.length > 0) throw noAddress(field, wrong)
  return mailboxes
}

/** @param field its name, for the message @throws Error for anything but one address */
export async function senderIn(text: string, field: string): Promise<Mailbox> {
  const { mailboxes, wrong } = await addressesIn([text])
  if (wrong.length > 0) throw noAddress(field, wrong)
  const [sender, ...more] = mailboxes
  if (sender && more.length === 0) return sender
  throw new Error(`no valid sender: ${field}: wanted one address, found ${mailboxes.length || 'none'}`)
}

const LONGEST = 200
const MOST = 5

function noAddress(field: string, wrong: string[]): Error {
  const named = wrong.slice(0, MOST).map((text) => `"${text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text}"`)
  const rest = wrong.length > MOST ? ` and ${wrong.length - MOST} more` : ''
  const verb = wrong.length > 1 ? 'are no addresses' : 'is no address'
  return new Error(
    `${field}: ${named.join(', ')}${rest} ${verb}; wanted name@domain or Name <name@domain>, with commas between them; nothing was sent`
  )
}

const LABEL = '[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}\\p{M}\\u200c\\u200d_-]*[\\p{L}\\p{N}\\p{M}_])?'
const ADDRESS = new RegExp(
  `^(?:[^\\s"(),:;<>@[\\]\\\\\\p{Cc}]+|"(?:\\\\.|[^"\\\\])*")@(?:${LABEL}(?:\\.${LABEL})*|\\[[^\\s[\\]\\\\]+\\])$`,
  'u'
)

interface Piece {
  /** Text that may contain an address; empty: none. */
  address: string
  text: string
}

/** The tokens of a field. An unclosed one extends to the end of the field and is no address. */
const TOKENS = [
  ['break', /[\r\n\0\v\f\u2028\u2029]+|[,;]/y],
  ['blank', /\s+/y],
  ['angle', /<(?:"(?:\\.|[^"\\])*"|[^"<>])*>/sy],
  ['word', /(?:"(?:\\.|[^"\\])*"|\[[^[\]]*\]|[^\s\0"(),:;<[])+/sy],
  ['colon', /:/y]
] as const
type Kind = (typeof TOKENS)[number][0] | 'comment' | 'open'

interface Token {
  kind: Kind
  start: number
  end: number
}

/** Splits a field where an address ends, and where its text cannot be one. */
function piecesOf(field: string): Piece[] {
  const lastEnd = field.lastIndexOf(';')
  const pieces: Piece[] = []
  /** Start of the words that no address has followed yet. */
  let from = -1
  let hasWords = false
  /** End of the previous address, to which a comment still belongs. */
  let last: { piece: Piece; start: number } | undefined
  let isGroup = false
  const add = (start: number, end: number, address = ''): Piece => {
    const piece = { address: oneLine(address), text: oneLine(field.slice(start, end)) }
    pieces.push(piece)
    from = -1
    hasWords = false
    return piece
  }
  for (const { kind, start, end } of tokensOf(field)) {
    if (kind === 'blank') continue
    if (kind === 'break') {
      if (from >= 0) add(from, start)
      last = undefined
      if (field[start] === ';') isGroup = false
    } else if (kind === 'comment') {
      if (last && from < 0) last.piece.text = oneLine(field.slice(last.start, end))
      else if (from < 0) from = start
    } else if (kind === 'colon' && hasWords && !isGroup && lastEnd > start) {
      isGroup = true
      from = -1
      hasWords = false
    } else if (kind === 'angle') {
      const begin = from < 0 ? start : from
      last = { piece: add(begin, end, field.slice(start + 1, end - 1)), start: begin }
    } else if (kind === 'word' && holdsAt(field.slice(start, end))) {
      if (hasWords) add(from, start)
      const begin = from < 0 ? start : from
      last = { piece: add(begin, end, field.slice(start, end)), start: begin }
    } else {
      if (from < 0) from = start
      hasWords = true
      last = undefined
    }
  }
  if (from >= 0) add(from, field.length)
  return pieces
}

const holdsAt = (word: string): boolean => word.replace(/"(?:\\.|[^"\\])*"/gs, '').includes('@')

function tokensOf(field: string): Token[] {
  const tokens: Token[] = []
  for (let start = 0; start < field.length; ) {
    const token = tokenAt(field, start)
    tokens.push(token)
    start = token.end
  }
  return tokens
}

function tokenAt(field: string, start: number): Token {
  if (field[start] === '(') {
    const end = commentEnd(field, start)
    return end === undefined ? { kind: 'open', start, end: field.length } : { kind: 'comment', start, end }
  }
  for (const [kind, pattern] of TOKENS) {
    pattern.lastIndex = start
    if (pattern.test(field)) return { kind, start, end: pattern.lastIndex }
  }
  return { kind: 'open', start, end: field.length }
}

/** Comments may be nested. */
function commentEnd(field: string, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < field.length; at++) {
    const character = field[at]
    if (character === '\\') at++
    else if (character === '(') depth++
    else if (character === ')' && --depth === 0) return at + 1
  }
  return undefined
}
