/**
 * The guard before anything recursive sees a text: size, nesting, number of documents. Deeply nested YAML overflows the stack of the parser
 * and makes V8 abort the process, which no try/catch survives. So the tokens of the package's lexer, which does not recurse,
 * are handed over one by one, and the nesting is read from the parser's stack after each: a text is cut off at level 65.
 * Indentation is not enough: lines of `a: b: c` nest without any. Source: architecture 7, reliability finding 1, R1.
 */
import { type CST, Lexer, type LineCounter, Parser } from 'yaml'

// D207: a text over 1 MiB is 400
/** Bytes of UTF-8. */
export const MAX_TEXT_BYTES = 1024 * 1024

/**
 * UTF-16 units up to which a text is read synchronously: the slowest one, of steps with a single letter, takes about 50 ms when it is
 * the first.
 */
export const SHORT_TEXT = 4 * 1024

/** Lists and maps inside each other. */
export const MAX_NESTING = 64

// D502: texts have limits beyond the documented ones
/** Choice: the count for 1 MiB of ordinary text, and a third more. Brackets and commas alone would block the engine for seconds. */
const MAX_LEXEMES = 600_000

/** Choice: documents of one text, empty ones included. */
export const MAX_DOCUMENTS = 1000

export type Tokens = { tokens: CST.Token[] } | { refused: string; at?: number }

// D503: nesting is measured while parsing
/** The syntax trees of a text, not deeper than the limit, or why there are none. Fills `lines`. */
export function tokensOf(text: string, lines: LineCounter): Tokens {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_TEXT_BYTES) return { refused: `${AT_MOST} ${MAX_TEXT_BYTES} bytes, this one has ${bytes}` }
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  const tokens: CST.Token[] = []
  let documents = 0
  const keep = (token: CST.Token) => {
    tokens.push(token)
    if (token.type === 'document') documents++
  }
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) keep(token)
    const excess = excessOf(++lexemes, documents, parser.stack)
    if (excess) return { refused: excess, at: parser.offset - lexeme.length }
  }
  for (const token of parser.end()) keep(token)
  const excess = excessOf(lexemes, documents, parser.stack)
  return excess ? { refused: excess, at: text.length } : { tokens }
}

const AT_MOST = 'a definition has at most'

function excessOf(lexemes: number, documents: number, stack: CST.Token[]): string | undefined {
  if (lexemes > MAX_LEXEMES) return `${AT_MOST} ${MAX_LEXEMES} words and signs`
  if (documents > MAX_DOCUMENTS) return `${AT_MOST} ${MAX_DOCUMENTS} documents`
  if (stack.length <= MAX_NESTING || nesting(stack) <= MAX_NESTING) return undefined
  return `${AT_MOST} ${MAX_NESTING} levels of nesting`
}

const COLLECTIONS = new Set(['block-map', 'block-seq', 'flow-collection'])

const nesting = (stack: CST.Token[]) => stack.filter(({ type }) => COLLECTIONS.has(type)).length
