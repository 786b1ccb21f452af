/** `troupe config`: every setting with its value and source, secrets hidden. Source: api-semantics 10.2. */
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { oneLine } from '../view/text.ts'

export const run: CommandModule['run'] = async (args, { out, err, explain }) => {
  const { config, shown } = explain(settingsOf(args))
  const { file, warnings, unsupported } = config
  if (args.on.has('quiet')) return 0
  const settings = shown()
  if (args.on.has('json')) {
    out.write(`${JSON.stringify({ file: file ?? '', settings, warnings, unsupported })}\n`)
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

/** Texts unchanged, everything else as JSON. */
const textOf = (value: unknown) => oneLine(typeof value === 'string' ? value : JSON.stringify(value))
