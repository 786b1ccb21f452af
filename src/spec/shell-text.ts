/**
 * Expansion of text that a sh-like shell reads. It follows the shell's quoting, so that each value is put in as its place
 * needs it. Source: execution-semantics 3.1.3-3.1.8.
 *
 * Choice, where the rules name no place: in a here-document a value is escaped so that it arrives unchanged (raw when the
 * delimiter is quoted); in a comment, and inside `${X:-...}`, a reference is left to the shell; inside the shell's own
 * backticks a value gets the extra backslashes that they take away. Not followed: the unbalanced `)` of a `case` inside
 * `"$( )"`.
 */
import { bodyEnd, type Heredoc, heredocAt } from './heredoc.ts'
import { commandAt, isSingleQuoted, matchAt, referenceAt } from './reference.ts'
import { type Resolve, resolver } from './resolve.ts'
import { type Lookup, secretInText } from './variables.ts'

/** A place with its own rules. `command` is the top, `( )` or `$( )`; `ansi` is `$'...'`; `literal` a body without expansion. */
type Place = 'command' | 'ticks' | 'single' | 'ansi' | 'double' | 'brace' | 'heredoc' | 'literal'

interface Frame {
  place: Place
  /** Inside `${...}`: references are left to the shell. */
  leave: boolean
  /** Inside `(( ))`: `#` and `<<` are operators. */
  arithmetic: boolean
  /** A brace inside double quotes, where a single quote is text. */
  quoted: boolean
}

const SPECIAL: Record<Place, RegExp> = {
  command: /[\\'"$`#()<\n]/g,
  ticks: /[\\'"$`#()<\n]/g,
  single: /[\\'$]/g,
  ansi: /[\\'$]/g,
  double: /[\\"$`]/g,
  brace: /[\\'"$`}]/g,
  heredoc: /[\\$`]/g,
  literal: /[\\$]/g
}

/** A name without braces before what may be replaced by a value: it would take up the letters and digits of that. */
const BARE_NAME = /\$([A-Za-z_]\w*|\d)(?=[$`])/y

/** Deeper here-documents stay as written. */
const MAX_DEPTH = 8

/** @param backticks whether Troupe runs backtick commands; otherwise they are the shell's */
export async function expandShell(text: string, look: Lookup, backticks: boolean): Promise<string> {
  if (!text.includes('$') && !(backticks && text.includes('`'))) return text
  return new ShellText(text, look, backticks, resolver(look), 'command', 0).expand()
}

/** Runs a backtick command. Its own references are expanded for the shell that runs it. */
export const substituted = async (command: string, look: Lookup): Promise<string> =>
  (await look.substitute?.(await expandShell(command, look, false))) ?? ''

/** A class, because one pass has a dozen variables that every kind of mark moves. */
class ShellText {
  private readonly text: string
  private readonly look: Lookup
  private readonly backticks: boolean
  private readonly resolve: Resolve
  private readonly depth: number
  private readonly frames: Frame[]
  private frame: Frame
  private at = 0
  private out = ''
  /** Place of the frame of the shell's own backticks; they do not nest. */
  private ticks = -1
  /** Between `\`` and `\`` inside backticks, where a value would need yet another layer. */
  private innerTicks = false
  private heredocs: Heredoc[] = []

  constructor(text: string, look: Lookup, backticks: boolean, resolve: Resolve, place: Place, depth: number) {
    this.text = text
    this.look = look
    this.backticks = backticks
    this.resolve = resolve
    this.depth = depth
    this.frame = { place, leave: false, arithmetic: false, quoted: false }
    this.frames = [this.frame]
  }

  async expand(): Promise<string> {
    const { text } = this
    while (this.at < text.length) {
      const special = SPECIAL[this.frame.place]
      special.lastIndex = this.at
      this.copy((special.exec(text)?.index ?? text.length) - this.at)
      const mark = text[this.at]
      if (mark === '\n') await this.newline()
      else if (mark === '`') this.copy(await this.backtick())
      else if (mark === '$') this.copy(this.dollar())
      else if (mark === '\\') this.copy(this.backslash())
      else if (mark !== undefined) this.copy(this.delimiter(mark))
    }
    return this.out
  }

  private copy(length: number): void {
    this.out += this.text.slice(this.at, this.at + length)
    this.at += length
  }

  private push(place: Place, change: Partial<Frame> = {}): void {
    this.frame = { ...this.frame, arithmetic: false, quoted: false, ...change, place }
    this.frames.push(this.frame)
  }

  /** Leaves frames until `size` are left; the outermost stays. */
  private popTo(size: number): void {
    this.frames.length = Math.max(1, size)
    this.frame = this.frames.at(-1) ?? this.frame
  }

  // Each of the following looks at the mark at `at` and returns how many characters are to be copied as they are.

  /** Where a backslash is text for the shell, it still keeps a `$` from being an expansion (3.1.3), and pairs with another. */
  private backslash(): number {
    const { place } = this.frame
    const next = this.text[this.at + 1] ?? ''
    if (place === 'single' || place === 'literal') return next === '$' || next === '\\' ? 2 : 1
    if (this.ticks > 0 && next === '`') this.innerTicks = !this.innerTicks
    return 2
  }

  private dollar(): number {
    const { text, at, frame } = this
    const found = referenceAt(text, at)
    if (found) {
      if (isSingleQuoted(text, at, found) || frame.leave || this.innerTicks) return found.written.length
      const { value, end } = this.resolve(found)
      if (value === undefined) return this.leave(end - at)
      if (this.look.isSecret?.(value)) {
        const { place } = frame
        const picked = found.path !== undefined && end === found.end // a part of a JSON value
        if (picked || place === 'single' || place === 'ansi' || place === 'literal') throw secretInText(found.written)
        return this.leave(end - at)
      }
      this.put(value)
      this.at = end
      return 0
    }
    const { place, quoted } = frame
    if (place === 'single' || place === 'ansi' || place === 'literal') return 1
    const next = text[at + 1] ?? ''
    if (next === '(') this.push('command', { leave: false, arithmetic: text[at + 2] === '(' })
    else if (next === '{') {
      const inQuotes = place === 'double' || place === 'heredoc' || (place === 'brace' && quoted)
      this.push('brace', { leave: true, quoted: inQuotes })
    } else if (next === "'" && place !== 'double' && place !== 'heredoc' && !quoted) this.push('ansi')
    else return next !== '' && '$#?@!*-'.includes(next) ? 2 : 1
    return 2
  }

  /** Leaves a reference of `length` characters to the shell: `$HOME${X}` must not become `$HOMEb` when X is `b`. */
  private leave(length: number): number {
    const { text, at, frame } = this
    const isRead = frame.place === 'command' || frame.place === 'ticks' || frame.place === 'double'
    const [, name] = (isRead && matchAt(BARE_NAME, text, at)) || []
    if (name === undefined || name.length + 1 !== length) return length
    this.out += `\${${name}}`
    this.at += length
    return 0
  }

  private async backtick(): Promise<number> {
    if (this.ticks > 0) {
      this.popTo(this.ticks)
      this.ticks = -1
      this.innerTicks = false
    } else if (!this.backticks) {
      this.ticks = this.frames.length
      this.push('ticks')
    } else if (!this.frame.leave) {
      const found = commandAt(this.text, this.at)
      if (!found?.command) return found ? 2 : 1
      const value = await substituted(found.command, this.look)
      if (this.look.isSecret?.(value)) throw secretInText(`\`${found.command}\``)
      this.put(value)
      this.at = found.end
      return 0
    }
    return 1
  }

  private async newline(): Promise<void> {
    const { text, look, backticks, resolve, depth } = this
    this.copy(1)
    for (const heredoc of this.heredocs.splice(0)) {
      const end = bodyEnd(text, this.at, heredoc)
      const body = text.slice(this.at, end)
      const place = heredoc.literal ? 'literal' : 'heredoc'
      const inner = new ShellText(body, look, backticks, resolve, place, depth + 1)
      this.out += depth < MAX_DEPTH ? await inner.expand() : body
      this.at = end
      const newline = text.indexOf('\n', end)
      this.copy((newline < 0 ? text.length : newline + 1) - end)
    }
  }

  private delimiter(mark: string): number {
    const { place, arithmetic, quoted } = this.frame
    const leaves = this.frames.length - 1
    if (mark === '#') return this.comment()
    if (mark === '<') return this.redirection()
    if (mark === '(') this.push('command', { arithmetic: arithmetic || this.text[this.at + 1] === '(' })
    else if (mark === "'" && (place === 'single' || place === 'ansi')) this.popTo(leaves)
    else if (mark === "'" && !quoted) this.push('single')
    else if (mark === '"' && place === 'double') this.popTo(leaves)
    else if (mark === '"') this.push('double')
    else if (mark === '}' || (mark === ')' && place === 'command')) this.popTo(leaves)
    return 1
  }

  /** The first line of a script is expanded though it is a comment (4.3.3). */
  private comment(): number {
    const { text, at, frame } = this
    const isComment = at === 0 ? text[1] !== '!' : /[\s;&|(]/.test(text[at - 1] ?? '')
    if (!isComment || frame.arithmetic) return 1
    const end = this.ticks > 0 ? /[\n`]/g : /\n/g
    end.lastIndex = at
    return (end.exec(text)?.index ?? text.length) - at
  }

  private redirection(): number {
    const { text, at, frame } = this
    if (frame.arithmetic) return 1
    if (text.startsWith('<<<', at)) return 3
    const heredoc = this.ticks > 0 ? undefined : heredocAt(text, at)
    if (heredoc) this.heredocs.push(heredoc)
    return (heredoc?.end ?? at + 1) - at
  }

  private put(value: string): void {
    const { place } = this.frame
    let safe = value
    if (place === 'double') safe = value.replace(/[\\"$`]/g, '\\$&')
    // `${0+}` is always empty: it keeps a line of the value from being the delimiter, and its leading tabs from being dropped.
    else if (place === 'heredoc') safe = `\${0+}${value.replace(/[\\$`]/g, '\\$&').replaceAll('\n', '\n${0+}')}`
    this.out += this.ticks > 0 ? safe.replace(/[\\$`]/g, '\\$&') : safe
  }
}
