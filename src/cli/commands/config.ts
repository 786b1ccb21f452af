/** `troupe config`: every setting with its value and source, secrets hidden. Source: api-semantics 10.2. */
import type { SettingsAnswer } from '../../client/index.ts'
import { TroupeError } from '../../errors.ts'
import type { CliContext, Remote } from '../context.ts'
import type { Arguments, CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { oneLine } from '../view/text.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, err, remote } = context
  const { file, settings, warnings, unsupported } = remote ? await shownThere(args, remote) : shownHere(args, context)
  if (args.on.has('quiet')) return 0
  if (args.on.has('json')) {
    out.write(`${JSON.stringify({ file, settings, warnings, unsupported })}\n`)
    return 0
  }
  for (const warning of warnings) err.write(`warning: ${oneLine(warning)}\n`)
  for (const key of unsupported) err.write(`warning: not supported yet: ${key}; an engine will not start with it\n`)
  const rows = settings.map(
    ({ key, value, source }) => [key, textOf(value), source === 'default' ? '' : source] as const
  )
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const [key, value, source] of rows)
    out.write(`${`${key.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${source}`.trimEnd()}\n`)
  return 0
}

function shownHere(args: Arguments, { explain }: CliContext) {
  const { config, shown } = explain(settingsOf(args))
  const { file = '', warnings, unsupported } = config
  return { file, settings: shown(), warnings, unsupported }
}

/** @throws TroupeError bad_request: a flag that would be a setting here */
async function shownThere({ text }: Arguments, remote: Remote): Promise<SettingsAnswer> {
  const flag = ['config', 'host', 'port', 'dags'].find((name) => text[name] !== undefined)
  if (flag !== undefined)
    throw new TroupeError('bad_request', `config: --${flag} is a setting of this machine, and that server has its own`)
  const { apiOf } = await import('../remote/api.ts')
  return apiOf(remote).getSettings()
}

/** Texts unchanged, everything else as JSON. */
const textOf = (value: unknown) => oneLine(typeof value === 'string' ? value : JSON.stringify(value))
