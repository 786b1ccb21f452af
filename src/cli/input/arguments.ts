/** Reads the arguments of one command. Every error says what was wanted and what was found. Source: api-semantics 11. */
import { parseArgs } from 'node:util'
import { TroupeError } from '../../errors.ts'
import type { Arguments, Command, Flag } from './command.ts'
import { commonFlags } from './shared-flags.ts'

// D411
/** @throws TroupeError bad_request */
export async function readArguments(command: Command, argv: readonly string[]): Promise<Arguments> {
  const end = argv.indexOf('--')
  const input = end < 0 ? argv : argv.slice(0, end)
  const flags = [...command.flags, ...commonFlags]
  const { tokens } = parseArgs({
    args: [...input],
    options: optionsOf(flags),
    strict: false, // its messages suggest no alternative
    tokens: true,
    allowPositionals: true
  })
  const text: Record<string, string> = {}
  const on = new Set<string>()
  const operands: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind !== 'option') continue
    const flag = flags.find((flag) => flag.name === token.name || flag.alias === token.name)
    if (!flag) throw refused(command, await unknownFlag(token.rawName, flags, `troupe help ${command.name}`))
    if (flag.value === undefined) on.add(switchOf(command, token))
    else {
      if (flag.once && text[flag.name] !== undefined)
        throw refused(
          command,
          `wanted ${token.rawName} once, found it again; one value holds all: ${token.rawName} 'A=1 B=2'`
        )
      const value = flagValue(command, flag, token)
      const before = flag.several ? text[flag.name] : undefined
      text[flag.name] = before === undefined ? value : `${before}\n${value}`
    }
  }
  if (on.has('help')) return { operand: '', operands: [], step: '', payload: '', words: [], text, on }
  const [operand, step, payload] = operandsOf(command, operands)
  if (end >= 0 && !command.words) throw refused(command, 'takes nothing after --')
  return { operand, operands, step, payload, words: end < 0 ? [] : argv.slice(end + 1), text, on }
}

/** How a command is called, such as `troupe stop FILE|NAME [flags]`. */
export const usageOf = ({ name, operand, words }: Command): string =>
  ['troupe', name, operand, '[flags]', words && '[-- params]'].filter(Boolean).join(' ')

type Token = { rawName: string; name: string; value?: string | undefined; inlineValue?: boolean | undefined }

const refused = (command: Command, found: string) => new TroupeError('bad_request', `${command.name}: ${found}`)

function optionsOf(flags: Flag[]) {
  const options: Record<string, { type: 'string' | 'boolean'; short?: string }> = {}
  for (const { name, alias, value, short } of flags) {
    const type = value === undefined ? 'boolean' : 'string'
    options[name] = short ? { type, short } : { type }
    if (alias) options[alias] = { type }
  }
  return options
}

function switchOf(command: Command, { name, rawName, value }: Token): string {
  if (value === undefined) return name
  throw refused(command, `${rawName} is a switch and takes no value, found ${JSON.stringify(value)}`)
}

function flagValue(
  command: Command,
  { value: placeholder, mayBeEmpty }: Flag,
  { rawName, value, inlineValue }: Token
): string {
  const short = !rawName.startsWith('--')
  const text = short && inlineValue ? value?.replace(/^=/, '') : value
  if (text === undefined || (text === '' && !mayBeEmpty))
    throw refused(command, `${rawName} wants a value: ${rawName}${short ? ' ' : '='}${placeholder}`)
  if (inlineValue || !text.startsWith('-')) return text
  throw refused(
    command,
    `${rawName} wants a value, found ${text}; write ${rawName}${short ? '' : '='}${text} if it is one`
  )
}

/** The error for a missing operand, and for one too many. */
const OPERANDS: Record<NonNullable<Command['operand']>, { wanted?: string; most: string }> = {
  'FILE|NAME': { wanted: 'a definition', most: 'one definition' },
  '[FILE|NAME]': { most: 'at most one definition' },
  'NAME|RUN [STEP...]': { wanted: 'a definition or the id of a run', most: 'a run and its steps' },
  '[RUN]': { most: 'at most one run' },
  SHELL: { wanted: 'bash, zsh or fish', most: 'one shell' },
  'RUN [RUN]': { wanted: 'a run', most: 'two runs' },
  'NAME|RUN STEP': { wanted: 'a definition or the id of a run, and a step', most: 'a run and one step' },
  'NAME|RUN STEP [JSON]': {
    wanted: 'a definition or the id of a run, and a step',
    most: 'a run, one step and its payload as one word of JSON'
  },
  NAME: { wanted: 'the name of a definition', most: 'one definition' },
  '[NAME]': { most: 'at most one DAG name' },
  DIR: { wanted: 'a folder', most: 'one folder' },
  '[QUEUE]': { most: 'at most one queue' },
  '[drain|undrain|enroll|revoke ID]': { most: 'drain, undrain, enroll or revoke, and one worker' },
  '[retry|remove TARGET [ID]]': { most: 'retry or remove, a target and one id' },
  '[FILES]': { most: 'any number of files' },
  'dagu|crontab [FILE]': { wanted: 'dagu or crontab', most: 'dagu, or crontab and one file' },
  'create|revoke NAME': { wanted: 'create or revoke, and the name of a key', most: 'create or revoke, and one key' },
  '[verify [FILE]]': { most: 'verify, and one file' }
}

/** Most operands of those that take several. */
const MOST: Partial<Record<NonNullable<Command['operand']>, number>> = {
  'NAME|RUN [STEP...]': Number.POSITIVE_INFINITY,
  'NAME|RUN STEP': 2,
  'NAME|RUN STEP [JSON]': 3,
  'RUN [RUN]': 2,
  '[drain|undrain|enroll|revoke ID]': 2,
  'dagu|crontab [FILE]': 2,
  '[retry|remove TARGET [ID]]': 3,
  'create|revoke NAME': 2,
  '[verify [FILE]]': 2
}

function operandsOf(
  command: Command,
  [operand = '', ...others]: string[]
): [operand: string, step: string, payload: string] {
  const most = (command.operand && MOST[command.operand]) ?? 1
  const [step = '', payload = ''] = others.slice(0, most - 1)
  const more = others.slice(most - 1)
  if (!command.operand) {
    if (operand)
      throw refused(command, `takes no argument, found ${JSON.stringify(operand)}; usage: ${usageOf(command)}`)
    return ['', '', '']
  }
  const { wanted, most: allowed } = OPERANDS[command.operand]
  if ((!operand || (!step && command.operand.includes(' STEP'))) && wanted)
    throw refused(command, `wanted ${wanted}, found ${operand || 'none'}; usage: ${usageOf(command)}`)
  if (more.length === 0 || command.operand === '[FILES]') return [operand, step, payload]
  const hint = command.words ? '; parameters stand after --' : ''
  throw refused(command, `wanted ${allowed}, found ${others.length + 1}: ${[operand, ...others].join(' ')}${hint}`)
}

/** The error for a flag that is none of `flags`. @param help where they are listed */
export async function unknownFlag(found: string, flags: readonly Flag[], help: string): Promise<string> {
  const { nearest } = await import('../../nearest.ts')
  const near = nearest(
    nameOf(found),
    flags.map((flag) => flag.name)
  )
  return `unknown flag ${found}; ${near ? `did you mean --${near}?` : `${help} lists all`}`
}

/** `--home=x` is the flag `home`. */
export const nameOf = (flag: string): string => flag.replace(/^-+/, '').replace(/=.*/s, '')
