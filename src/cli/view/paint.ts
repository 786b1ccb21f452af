/** Statuses as a glyph, a word and a colour. Source: http-api "Run status", execution-semantics 5.1. */
import type { NodeStatus, RunStatus, WaitKind } from '../../../machines/vocabulary.ts'

/** By what is waited for outside, in place of `running`. */
const WAITING = { approval: 'waiting_for_approval', signal: 'waiting_for_signal', sleep: 'waiting' } as const

/** The statuses of a row; a requested stop that is not reached yet has its own. */
export type Shown = RunStatus | NodeStatus | 'stopping' | (typeof WAITING)[WaitKind]
export type Style = 'faint' | 'bold' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan'
/** Styles text, or returns it unchanged. */
export type Paint = (style: Style | undefined, text: string) => string

const GLYPHS: Record<Shown, [glyph: string, style: Style | undefined]> = {
  not_started: ['○', 'faint'],
  queued: ['◌', 'faint'],
  running: ['●', 'cyan'],
  waiting_for_approval: ['◔', 'magenta'],
  waiting_for_signal: ['◔', 'magenta'],
  waiting: ['◔', 'cyan'],
  stopping: ['◍', 'yellow'],
  succeeded: ['✓', 'green'],
  partially_succeeded: ['◐', 'yellow'],
  failed: ['✗', 'red'],
  canceled: ['■', 'yellow'],
  skipped: ['–', 'faint']
}
const SHOWN = Object.keys(GLYPHS) as Shown[] // it has each of them
const CODES: Record<Style, number> = {
  faint: 2,
  bold: 1,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36
}

/** The status that a label of the API means; an unknown one is shown as not started. */
export const shownStatus = (label: string): Shown => SHOWN.find((status) => status === label) ?? 'not_started'

/** The same of a run or a node, which may wait for something outside. */
export const shownState = ({
  statusLabel,
  waitingFor
}: {
  statusLabel: string
  waitingFor?: { for: WaitKind }
}): Shown => (waitingFor ? WAITING[waitingFor.for] : shownStatus(statusLabel))

export const isWait = (status: Shown): boolean => status.startsWith('waiting')

export const glyphOf = (status: Shown, paint: Paint): string => {
  const [glyph, style] = GLYPHS[status]
  return paint(style, glyph)
}

const styleOf = (status: Shown): Style | undefined => GLYPHS[status][1]
const signOf = (status: Shown): string => `${GLYPHS[status][0]} ${wordOf(status)}`

/** Glyph and word, as a cell. @param more behind the word */
export const statusCell = (status: Shown, more = '') => ({ text: signOf(status) + more, style: styleOf(status) })

/** The status as words: `not started`. */
export const wordOf = (status: Shown): string => status.replaceAll('_', ' ')

export const plain: Paint = (_style, text) => text
export const coloured: Paint = (style, text) => (style && text ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text)

/** Colours on a terminal, unless `NO_COLOR` is set or the terminal has none. */
export const paintFor = (isTTY: boolean | undefined, environment: Readonly<Record<string, string>>): Paint =>
  isTTY && !environment.NO_COLOR && environment.TERM !== 'dumb' ? coloured : plain
