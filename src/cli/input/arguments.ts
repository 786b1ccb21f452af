/** Reads the arguments of one command. Every error says what was wanted and what was found. Source: api-semantics 11. */
import { parseArgs } from 'node:util'
import { TroupeError } from '../../errors.ts'
import type { Arguments, Command, Flag } from './command.ts'
import { flagAliases } from './commands.ts'
import { OPERANDS } from './operands.ts'
import { commonFlags } from './shared-flags.ts'

// D411: `--params` given twice is refused
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
  if (on.has('help')) return { operand: '', operands: [], words: [], text, on }
  checkOperands(command, operands)
  if (end >= 0 && !command.words) throw refused(command, 'takes nothing after --')
  return { operand: operands[0] ?? '', operands, words: end < 0 ? [] : argv.slice(end + 1), text, on }
}

/** How a command is called, such as `troupe stop RUN [flags]`. */
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

/** @throws TroupeError bad_request: one is missing, or one too many */
function checkOperands(command: Command, operands: readonly string[]): void {
  const [operand = '', step = ''] = operands
  if (!command.operand) {
    if (operand)
      throw refused(command, `takes no argument, found ${JSON.stringify(operand)}; usage: ${usageOf(command)}`)
    return
  }
  const { wanted, most, count = 1 } = OPERANDS[command.operand]
  if ((!operand || (!step && command.operand.includes(' STEP'))) && wanted)
    throw refused(command, `wanted ${wanted}, found ${operand || 'none'}; usage: ${usageOf(command)}`)
  if (operands.length <= count) return
  const hint = command.words ? '; parameters stand after --' : ''
  throw refused(command, `wanted ${most}, found ${operands.length}: ${operands.join(' ')}${hint}`)
}

/** The error for a flag that is none of `flags`. @param help where they are listed */
export async function unknownFlag(found: string, flags: readonly Flag[], help: string): Promise<string> {
  const [{ nearest }, { insteadOf }] = await Promise.all([
    import('../../nearest.ts'),
    import('../../schema/instead.ts')
  ])
  const near = nearest(
    nameOf(found),
    flags.map((flag) => flag.name)
  )
  const known = Object.keys(flagAliases).filter((alias) => alias.startsWith(`${found} `))
  const all = known.length > 0 ? `there is ${known.join(' and ')}` : `${help} lists all`
  return `unknown flag ${found}; ${insteadOf(nameOf(found)) ?? (near ? `did you mean --${near}?` : all)}`
}

/** `--home=x` is the flag `home`. */
export const nameOf = (flag: string): string => flag.replace(/^-+/, '').replace(/=.*/s, '')
