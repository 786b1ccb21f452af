/**
 * Expansion of text that a sh-like shell reads. It follows the shell's quoting, so that each value is put in as its place
 * needs it: what is data never becomes a part of the shell's language. Source: execution-semantics 3.1.3-3.1.8.
 *
 * Choice, where the rules name no place: in a here-document a value is escaped so that it arrives unchanged (raw when the
 * delimiter is quoted, which gets another name when a value holds its line); in a comment, and inside `${X:-...}`, a reference is
 * left to the shell; in arithmetic data must be numbers; inside the shell's own backticks a value gets the extra backslashes that
 * they take away.
 */
import { shellQuote } from '../../platform/shell/shell-word.ts'
import { secretInText } from '../text/lookup.ts'
import { commandAt, isSingleQuoted, matchAt, type Reference, referenceAt } from '../text/reference.ts'
import { bodyEnd, type Heredoc, heredocAt } from './heredoc.ts'
import {
  BARE_NAME,
  beginsCase,
  commentAt,
  endsCase,
  type Frame,
  isShellText,
  MAX_DEPTH,
  MAX_INNER,
  type Place,
  SPECIAL,
  SPECIAL_OR_CASE
} from './shell-places.ts'
import { type Reading, withoutValues } from './shell-reading.ts'
import {
  asNumbers,
  asWords,
  inAnsiQuotes,
  inDoubleQuotes,
  inHeredoc,
  inOtherShell,
  inSingleQuotes,
  oneLine,
  unlike
} from './shell-values.ts'

/** A class, because one pass has a dozen variables that every kind of mark moves. */
export class ShellText {
  private readonly text: string
  private readonly reading: Reading
  private readonly depth: number
  /** Length of a first line that names the program which reads the others. */
  private readonly shebang: number
  private readonly frames: Frame[]
  private frame: Frame
  private at = 0
  private out = ''
  /** Place of the frame of the shell's own backticks; they do not nest. */
  private ticks = -1
  /** Between `\`` and `\`` inside backticks, where a value would need yet another layer. */
  private innerTicks = false
  /** Frame of the text of another shell, at the reference. */
  private readBy: Frame | undefined
  /** With the place of the opening in `out`. */
  private heredocs: { heredoc: Heredoc; from: number; to: number }[] = []

  constructor(text: string, reading: Reading, place: Place, depth: number) {
    this.text = text
    this.reading = reading
    this.depth = depth
    this.shebang = depth === 0 && text.startsWith('#!') ? `${text}\n`.indexOf('\n') : 0
    this.frame = { place, leave: false, arithmetic: false, cases: 0, quoted: false, inner: undefined }
    this.frames = [this.frame]
  }

  async expand(): Promise<string> {
    const { text } = this
    const specials = text.includes('case') ? SPECIAL_OR_CASE : SPECIAL
    while (this.at < text.length) {
      const special = specials[this.frame.place]
      special.lastIndex = this.at
      this.copy((special.exec(text)?.index ?? text.length) - this.at)
      const mark = text[this.at]
      if (mark === 'c' || mark === 'e') this.copy(this.caseWord(mark))
      else if (mark === '\n') await this.newline()
      else if (mark === '$' || mark === '`') {
        if (this.frame.inner !== undefined) this.readBy = await this.innerFrame(this.frame.inner)
        this.copy(mark === '$' ? this.dollar() : await this.backtick())
      } else if (mark === '\\') this.copy(this.backslash())
      else if (mark !== undefined) this.copy(this.delimiter(mark))
    }
    return this.out
  }

  private copy(length: number): void {
    this.out += this.text.slice(this.at, this.at + length)
    this.at += length
  }

  private push(place: Place, change: Partial<Frame> = {}): void {
    this.frame = { ...this.frame, arithmetic: false, cases: 0, quoted: false, inner: undefined, ...change, place }
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
    const { look, resolve, isGuarded } = this.reading
    const found = referenceAt(text, at)
    if (found) {
      if (frame.leave || this.innerTicks) return found.written.length
      const isData = isGuarded && look.isData?.(found.name) === true
      // In `sh -c "echo '${X}'"` they are the other shell's, and this one would put the value in.
      const isTheirs = isData && frame.inner !== undefined && frame.place === 'double'
      if (isSingleQuoted(text, at, found) && !isTheirs) return found.written.length
      const { value, end, isStep } = resolve(found)
      if (value === undefined) return this.leave(end - at)
      const picked = found.path !== undefined && end === found.end // a part of a JSON value
      if (look.isSecret?.(value)) {
        const { place } = frame
        if (picked || place === 'single' || place === 'ansi' || place === 'literal') throw secretInText(found.written)
        return this.leave(end - at)
      }
      if (isData && !isStep) this.guard(value, found, picked ? undefined : found.name)
      else this.put(value)
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
    const { look, backticks, substitute, isGuarded } = this.reading
    if (this.ticks > 0) {
      this.popTo(this.ticks)
      this.ticks = -1
      this.innerTicks = false
    } else if (!backticks) {
      this.ticks = this.frames.length
      this.push('ticks')
    } else if (!this.frame.leave) {
      const found = commandAt(this.text, this.at)
      if (!found?.command) return found ? 2 : 1
      const value = await substitute(found.command)
      const written = `\`${found.command}\``
      if (look.isSecret?.(value)) throw secretInText(written)
      if (isGuarded) this.guard(value, { written, end: found.end })
      else this.put(value)
      this.at = found.end
      return 0
    }
    return 1
  }

  private async newline(): Promise<void> {
    const { text, reading, depth } = this
    this.copy(1)
    let moved = 0
    for (const { heredoc, from, to } of this.heredocs.splice(0)) {
      const end = bodyEnd(text, this.at, heredoc)
      const body = text.slice(this.at, end)
      const inner = new ShellText(body, reading, heredoc.literal ? 'literal' : 'heredoc', depth + 1)
      const expanded = depth < MAX_DEPTH ? await inner.expand() : body
      const delimiter = reading.isGuarded && heredoc.literal ? unlike(expanded, heredoc) : heredoc.delimiter
      this.at = end
      const newline = text.indexOf('\n', end)
      const length = (newline < 0 ? text.length : newline + 1) - end
      if (delimiter === heredoc.delimiter) {
        this.out += expanded
        this.copy(length)
        continue
      }
      const opening = `<<${heredoc.dropsTabs ? '-' : ''}${shellQuote(delimiter)}`
      const before = this.out.slice(0, from + moved)
      this.out = `${before}${opening}${this.out.slice(to + moved)}${expanded}`
      if (length > 0) this.out += `${delimiter}${newline < 0 ? '' : '\n'}`
      this.at += length
      moved += opening.length - (to - from)
    }
  }

  private delimiter(mark: string): number {
    const { place, arithmetic, quoted } = this.frame
    const leaves = this.frames.length - 1
    if (mark === '#') return arithmetic ? 1 : commentAt(this.text, this.at, this.ticks > 0)
    if (mark === '<') return this.redirection()
    if (mark === '(') this.push('command', { arithmetic: arithmetic || this.text[this.at + 1] === '(' })
    else if (mark === "'" && (place === 'single' || place === 'ansi')) this.popTo(leaves)
    else if (mark === "'" && !quoted) this.push('single', { inner: this.otherShell() })
    else if (mark === '"' && place === 'double') this.popTo(leaves)
    else if (mark === '"') this.push('double', { arithmetic, inner: this.otherShell() })
    else if (mark === '}' || (mark === ')' && place === 'command' && this.frame.cases === 0)) this.popTo(leaves)
    return 1
  }

  /** Begins or ends a `case` where a command may stand; elsewhere the words are text. */
  private caseWord(mark: 'c' | 'e'): number {
    const { text, at, frame } = this
    if (mark === 'c' && beginsCase(text, at)) frame.cases++
    else if (mark === 'e' && frame.cases > 0 && endsCase(text, at)) frame.cases--
    return 'case'.length
  }

  private redirection(): number {
    const { text, at, frame } = this
    if (frame.arithmetic) return 1
    if (text.startsWith('<<<', at)) return 3
    const heredoc = this.ticks > 0 ? undefined : heredocAt(text, at)
    const length = (heredoc?.end ?? at + 1) - at
    if (heredoc) this.heredocs.push({ heredoc, from: this.out.length, to: this.out.length + length })
    return length
  }

  /**
   * Puts a value in that is data. @param name of the variable that holds nothing but the value
   * @throws Error where it could not stand
   */
  private guard(value: string, { written, end }: Pick<Reference, 'written' | 'end'>, name?: string): void {
    const { place, arithmetic, inner } = this.frame
    if (arithmetic) this.put(asNumbers(value, written))
    else if (inner !== undefined && !(inner === this.at && /['"]/.test(this.text[end] ?? ''))) {
      const read = inOtherShell(value, written, this.readBy)
      this.put(place === 'single' ? inSingleQuotes(read) : read)
    } else if (place === 'single') this.put(inSingleQuotes(value))
    else if (place === 'ansi') this.put(inAnsiQuotes(value))
    else if (place === 'double' || place === 'heredoc' || place === 'literal') this.put(value)
    else if (this.at < this.shebang) this.put(oneLine(value, written))
    else if (name !== undefined && this.isThere(name, value)) this.out += `\${${name}}`
    else this.put(asWords(value))
  }

  /** Where the text of another shell begins, when the quotes that open now hold one. */
  private otherShell(): number | undefined {
    const { text, at, frame, ticks } = this
    if (ticks > 0 || frame.place !== 'command' || !this.reading.isGuarded) return undefined
    return isShellText(text, at) ? at + 1 : undefined
  }

  /** In what the other shell will be, when it reads on from here. */
  private async innerFrame(from: number): Promise<Frame | undefined> {
    const { text, at, frame, depth } = this
    if (at - from > MAX_INNER) return undefined
    const written = text.slice(from, at)
    const before = frame.place === 'double' ? written.replace(/\\([\\"$`\n])/g, '$1') : written
    const reader = new ShellText(before, withoutValues(this.reading), 'command', depth + 1)
    await reader.expand()
    return reader.frame
  }

  /** Whether whoever reads the text finds the value in a variable. */
  private isThere(name: string, value: string): boolean {
    const { look, reader } = this.reading
    return reader === 'shell' && look.isExported?.(name, value) === true
  }

  private put(value: string): void {
    const { place } = this.frame
    let safe = value
    if (place === 'double') safe = inDoubleQuotes(value)
    else if (place === 'heredoc') safe = inHeredoc(value)
    this.out += this.ticks > 0 ? safe.replace(/[\\$`]/g, '\\$&') : safe
  }
}
