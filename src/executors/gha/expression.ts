/**
 * `${{ ... }}` in an action: values of contexts, texts, numbers, comparison, `!`, `&&`, `||` and the four functions of
 * the status so far. Anything else is refused by name. Source: execution-semantics 10.9.4.
 */

/** Values by path, such as `inputs`, then `name`. */
export type Context = { [name: string]: string | Context }

/** The status of the earlier steps. */
export type Standing = 'success' | 'failure'

type Value = string | number | boolean | null

const [OPEN, CLOSE] = ['${{', '}}']

const LITERALS = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null]
])

const TOKEN =
  /\s*(?:(?<text>'(?:[^']|'')*')|(?<number>-?\d+(?:\.\d+)?)(?![\w.])|(?<name>[A-Za-z_][\w-]*(?:\s*\.\s*[A-Za-z_*][\w-]*|\s*\[\s*'[^']*'\s*\])*)|(?<sign>==|!=|&&|\|\||[!()]))/y

/** A text with each `${{ }}` replaced. @throws Error for what is not supported */
export function filledIn(text: string, context: Context, standing: Standing = 'success'): string {
  let filled = ''
  let at = 0
  for (let from = text.indexOf(OPEN); from >= 0; from = text.indexOf(OPEN, at)) {
    const to = text.indexOf(CLOSE, from)
    if (to < 0) break
    filled += text.slice(at, from) + textOf(evaluate(text.slice(from + OPEN.length, to), context, standing))
    at = to + CLOSE.length
  }
  return filled + text.slice(at)
}

/** Whether a condition holds; without a status function it holds only after success. */
export function holds(condition: string, context: Context, standing: Standing): boolean {
  const text = condition.trim()
  const inner = text.startsWith(OPEN) && text.endsWith(CLOSE) ? text.slice(OPEN.length, -CLOSE.length) : text
  const asks = /\b(?:always|success|failure|cancelled)\s*\(/.test(inner)
  return (asks || standing === 'success') && isTrue(evaluate(inner, context, standing))
}

function evaluate(text: string, context: Context, standing: Standing): Value {
  const tokens = tokensOf(text)
  let at = 0
  const peek = () => tokens[at]
  const refuse = (what: string) => new Error(`the expression \${{${text}}} is not supported: ${what}`)
  const take = (sign: string): boolean => {
    const found = peek()?.sign === sign
    if (found) at++
    return found
  }

  const either = (): Value => {
    let left = both()
    while (take('||')) {
      const right = both()
      if (!isTrue(left)) left = right
    }
    return left
  }
  const both = (): Value => {
    let left = compared()
    while (take('&&')) {
      const right = compared()
      if (isTrue(left)) left = right
    }
    return left
  }
  const compared = (): Value => {
    let left = one()
    for (;;) {
      if (take('==')) left = equal(left, one())
      else if (take('!=')) left = !equal(left, one())
      else return left
    }
  }
  const one = (): Value => {
    if (take('!')) return !isTrue(one())
    if (take('(')) {
      const inner = either()
      if (!take(')')) throw refuse('a ) is missing')
      return inner
    }
    const token = peek()
    at++
    if (token?.text !== undefined) return token.text.slice(1, -1).replaceAll("''", "'")
    if (token?.number !== undefined) return Number(token.number)
    if (token?.name === undefined)
      throw refuse(token ? `${token.sign} is where a value should be` : 'a value is missing')
    if (peek()?.sign === '(') return called(token.name)
    const literal = LITERALS.get(token.name)
    return literal === undefined ? found(token.name) : literal
  }
  const called = (name: string): Value => {
    at++
    if (!take(')')) throw refuse(`the function ${name} is not known`)
    const answer = { always: true, success: standing === 'success', failure: standing === 'failure', cancelled: false }[
      name
    ]
    if (answer === undefined) throw refuse(`the function ${name} is not known`)
    return answer
  }
  const found = (path: string): Value => {
    const parts = path.split(/\s*\.\s*|\s*\[\s*'|'\s*\]\s*\.?/).filter((part) => part !== '')
    const [root = ''] = parts
    if (!Object.hasOwn(context, root)) throw refuse(`there is no ${root} here`)
    let value: string | Context | undefined = context
    for (const part of parts) value = typeof value === 'object' ? memberOf(value, part) : undefined
    if (typeof value === 'object') throw refuse(`${path} is no single value`)
    return value ?? null
  }

  if (tokens.length === 0) throw refuse('it is empty')
  const value = either()
  if (at < tokens.length) throw refuse('something follows its end')
  return value

  function tokensOf(source: string) {
    const found: { [group: string]: string | undefined }[] = []
    const pattern = new RegExp(TOKEN)
    const end = source.trimEnd().length
    while (pattern.lastIndex < end) {
      const from = pattern.lastIndex
      const match = pattern.exec(source)
      if (!match) throw new Error(`the expression \${{${source}}} is not supported: ${source.slice(from).trim()}`)
      found.push({ ...match.groups })
    }
    return found
  }
}

/** Names are case-insensitive. */
function memberOf(context: Context, name: string): string | Context | undefined {
  if (Object.hasOwn(context, name)) return context[name]
  return Object.entries(context).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}

const isTrue = (value: Value): boolean => value !== '' && value !== 0 && value !== false && value !== null

function equal(a: Value, b: Value): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.toLowerCase() === b.toLowerCase()
  if (a === b) return true
  return numberOf(a) === numberOf(b)
}

const numberOf = (value: Value): number => (value === '' ? 0 : Number(value))

const textOf = (value: Value): string => (value === null ? '' : String(value))
