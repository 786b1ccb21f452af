/**
 * From the arguments to a command's module and its exit code. Decides before it imports, so that a command loads only what it
 * needs. Source: api-semantics 11, performance 5.
 */
import { type ErrorCode, messageOf, TroupeError } from '../errors.ts'
import type { CliContext, Output, Remote, Surroundings } from './context.ts'
import { nameOf, readArguments, unknownFlag } from './input/arguments.ts'
import type { Arguments, Command, Flag } from './input/command.ts'
import { aliases, commands, flagAliases, laterCommands } from './input/commands.ts'
import { commonFlags } from './input/shared-flags.ts'
import { shownJson, shownText } from './output/shown.ts'

/** Exit code of every failed call. */
const WRONG = 1

/** Runs `words` (without program and script) and resolves with the exit code. Never rejects. */
export async function dispatch(
  words: readonly string[],
  verbatim: Output,
  stderr: Output,
  surroundings: () => Promise<Surroundings>
): Promise<number> {
  const argv = withoutAliases(words)
  const out = wantsJson(argv) ? shownJson(verbatim) : shownText(verbatim)
  const err = shownText(stderr)
  const context = async () => ({ ...(await surroundings()), out, err, verbatim })
  try {
    const { name: written, rest: given } = split(argv)
    const [name, ...flags] = aliases[written ?? ''] ?? [written]
    const rest = [...flags, ...given]
    if (name === undefined)
      return await withoutCommand(rest, out, (argv) => dispatch(argv, verbatim, stderr, surroundings))
    if (name === 'help') return await helpAbout(rest, out)
    const command = await commandNamed(name)
    const args = await readArguments(command, rest)
    if (args.on.has('help')) return await help(command.name, out)
    if (command.name === 'completion') {
      const { complete } = await import('./input/completion.ts')
      return await complete(args, await placed(command, args, await context()), commands)
    }
    if (!command.load) return await showVersion(command, args, out, context)
    const module = await command.load()
    return await module.run(args, await placed(command, args, await context()))
  } catch (error) {
    const message = await explain(error)
    err.write(`Error: ${message}\n`)
    if (wantsJson(argv)) out.write(`${JSON.stringify({ error: errorObject(error, message) })}\n`)
    return WRONG
  }
}

/** `-o json` and `-ojson` are `--json`. A value never begins with a hyphen, so none is meant. */
function withoutAliases(words: readonly string[]): string[] {
  const end = words.indexOf('--')
  const flags = end < 0 ? words : words.slice(0, end)
  const found = flags.flatMap((word, at) => {
    if (flags[at - 1] === '-o' && flagAliases[`-o ${word}`]) return []
    const value = word === '-o' ? flags[at + 1] : /^-o=?(.+)$/.exec(word)?.[1]
    return flagAliases[`-o ${value}`] ?? word
  })
  return end < 0 ? found : [...found, ...words.slice(end)]
}

/** The context of a command, with the server that it works on. Most work on a home, and load nothing for that. */
async function placed(command: Command, args: Arguments, context: CliContext): Promise<CliContext> {
  if (args.text.url === undefined && args.text['token-file'] === undefined) return context
  const { remoteOf } = await import('./remote/address.ts')
  const remote = remoteOf(command, args, context.cwd)
  return { ...context, ...(remote ? { remote } : {}) }
}

// D434: with `--json` an error is also an object on stdout
/** With --json an error is JSON too, even one in the arguments. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  const flags = end < 0 ? argv : argv.slice(0, end)
  return flags.includes('--json') && !flags.includes('--quiet') && !flags.includes('-q')
}

/** The same object as in the API. */
function errorObject(error: unknown, message: string): { code: ErrorCode; message: string; details?: object } {
  if (!(error instanceof TroupeError)) return { code: 'internal_error', message }
  const { code, details } = error
  return { code, message, ...(details ? { details } : {}) }
}

/** The first word that is neither a flag nor the value of a common one is the command: `troupe --home DIR status NAME` works. */
function split(argv: readonly string[]): { name?: string; rest: string[] } {
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ''
    if (/^(--(engine-)?home|--config|-c|--url|--token-file)$/.test(word)) i++
    else if (!word.startsWith('-')) return { name: word, rest: [...argv.slice(0, i), ...argv.slice(i + 1)] }
  }
  return { rest: [...argv] }
}

/** @param again with other words */
async function withoutCommand(
  flags: string[],
  out: Output,
  again: (argv: readonly string[]) => Promise<number>
): Promise<number> {
  const isVersion = (flag: string) => (flagAliases[flag] ?? flag) === '--version'
  if (flags.some(isVersion)) return again(['version', ...flags.filter((flag) => !isVersion(flag))])
  if (flags.includes('--help') || flags.includes('-h')) return help(undefined, out)
  const stray = await strayFlag(flags)
  if (stray === undefined && !wantsJson(flags)) return help(undefined, out)
  throw new TroupeError('bad_request', stray ?? 'wanted a command, found none; troupe help lists all')
}

/** The error for the first flag that needs a command. */
async function strayFlag(words: readonly string[]): Promise<string | undefined> {
  const flags: Flag[] = [{ name: 'version', help: 'print the version' }, ...commonFlags]
  const isKnown = (word: string) => flags.some(({ name, alias, short }) => [name, alias, short].includes(nameOf(word)))
  const stray = words.find((word) => /^-./.test(word) && !isKnown(word))
  return stray && unknownFlag(stray, flags, 'troupe help')
}

async function helpAbout(words: readonly string[], out: Output): Promise<number> {
  const { name, rest } = split(words)
  const { name: another } = split(rest)
  if (name !== undefined && another !== undefined)
    throw new TroupeError('bad_request', `help: wanted one command, found ${name} and ${another}`)
  return help(name, out)
}

async function help(about: string | undefined, out: Output): Promise<number> {
  const { helpText, topics } = await import('./input/help.ts')
  const room = (out.isTTY && out.columns) || undefined
  const topic = about === undefined ? undefined : topics[about]
  const isOverview = about === undefined || about === 'help'
  out.write(topic ? topic(room) : helpText(isOverview ? undefined : await commandNamed(about), room))
  return 0
}

/** That of this program, or of a server elsewhere. */
async function showVersion(
  command: Command,
  args: Arguments,
  out: Output,
  context: () => Promise<CliContext>
): Promise<number> {
  const { text, on } = args
  const isElsewhere = text.url !== undefined || text['token-file'] !== undefined
  const remote = isElsewhere ? (await placed(command, args, await context())).remote : undefined
  const version = remote ? await versionThere(remote) : (await import('./commands/version.ts')).version()
  if (!on.has('quiet')) out.write(`${on.has('json') ? JSON.stringify({ version }) : version}\n`)
  return 0
}

async function versionThere(remote: Remote): Promise<string> {
  const { apiOf } = await import('./remote/api.ts')
  return (await apiOf(remote).getHealth()).version
}

async function commandNamed(written: string): Promise<Command> {
  const [name] = aliases[written] ?? [written]
  const command = commands.find((command) => command.name === name)
  if (command) return command
  // D20: unsupported endpoints and commands say so
  if (laterCommands.includes(name)) throw new TroupeError('bad_request', `not supported yet: ${name}`)
  const { nearest } = await import('../nearest.ts')
  const near = nearest(name, [...commands.map((command) => command.name), ...Object.keys(aliases), 'help'])
  const hint = near ? `did you mean ${near}?` : 'troupe help lists all'
  throw new TroupeError('bad_request', `unknown command ${JSON.stringify(name)}; ${hint}`)
}

/** One line; for an unexpected failure the stack, when debugging. */
async function explain(error: unknown): Promise<string> {
  const { oneLine } = await import('./view/text.ts')
  if (error instanceof TroupeError) return oneLine(error.message)
  if (error instanceof Error && (await debugging())) return error.stack ?? error.message
  return `${oneLine(messageOf(error))} (unexpected: ENGINE_DEBUG=1 shows where)`
}

async function debugging(): Promise<boolean> {
  const { readConfig } = await import('../config.ts')
  try {
    return readConfig().debug
  } catch {
    return false // a setting is wrong: report the current failure instead
  }
}
