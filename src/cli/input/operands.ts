/** The operands of commands, by the text that stands for them in a usage. Data. Source: api-semantics 11. */

interface Operands {
  /** What is asked for when it is missing; absent: it may be. */
  wanted?: string
  /** What there may be, for the error about one too many. */
  most: string
  /** How many there may be; default: 1. */
  count?: number
  /** What the first one may be, for completion. */
  words?: readonly string[]
}

export type OperandForm = keyof typeof FORMS

const FORMS = {
  'FILE|NAME': { wanted: 'a definition', most: 'one definition' },
  '[FILE|NAME]': { most: 'at most one definition' },
  RUN: { wanted: 'a run', most: 'one run' },
  'RUN [STEP...]': {
    wanted: 'a run',
    most: 'a run and its steps',
    count: Number.POSITIVE_INFINITY
  },
  NAME: { wanted: 'the name of a definition', most: 'one definition' },
  '[NAME]': { most: 'at most one DAG name' },
  '[RUN]': { most: 'at most one run' },
  SHELL: { wanted: 'bash, zsh or fish', most: 'one shell', words: ['bash', 'zsh', 'fish'] },
  'RUN [RUN]': { wanted: 'a run', most: 'two runs', count: 2 },
  'RUN STEP': { wanted: 'a run and a step', most: 'a run and one step', count: 2 },
  'RUN STEP [JSON]': {
    wanted: 'a run and a step',
    most: 'a run, one step and its payload as one word of JSON',
    count: 3
  },
  'RUN STEP STATUS': { wanted: 'a run, a step and a status', most: 'a run, one step and its status', count: 3 },
  'NAME NEW': { wanted: 'a definition and its new name', most: 'a definition and its new name', count: 2 },
  '[QUEUE]': { most: 'at most one queue' },
  DIR: { wanted: 'a folder', most: 'one folder' },
  '[drain|undrain|enroll|revoke ID]': {
    most: 'drain, undrain, enroll or revoke, and one worker',
    count: 2,
    words: ['drain', 'undrain', 'enroll', 'revoke']
  },
  '[retry|remove TARGET [ID]]': {
    most: 'retry or remove, a target and one id',
    count: 3,
    words: ['retry', 'remove']
  },
  '[FILES]': { most: 'any number of files', count: Number.POSITIVE_INFINITY },
  'dagu|crontab [FILE]': {
    wanted: 'dagu or crontab',
    most: 'dagu, or crontab and one file',
    count: 2,
    words: ['dagu', 'crontab']
  },
  'create|revoke NAME': {
    wanted: 'create or revoke, and the name of a key',
    most: 'create or revoke, and one key',
    count: 2,
    words: ['create', 'revoke']
  },
  '[verify [FILE]]': { most: 'verify, and one file', count: 2, words: ['verify'] }
} satisfies Record<string, Operands>

export const OPERANDS: Readonly<Record<OperandForm, Operands>> = FORMS
