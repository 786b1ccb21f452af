/** `troupe validate`: all problems of a definition, each with its position. Opens no store. Source: api-semantics 11. */
import { relative } from 'node:path'
import type { Problem } from '../../definition/definition.ts'
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { locateAsOwner } from '../owner/open-client.ts'
import { oneLine } from '../view/text.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { clock, cwd, out, err, configure } = context
  const config = configure(settingsOf(args))
  const file = await locateAsOwner(args.operand, context, config)
  const { openDefinitions, withDoubts } = await import('../../definitions/definitions.ts')
  const checked = await openDefinitions(config.dagsDir, config.baseConfig, clock).checkFile(file)
  const { name, problems, warnings } = await withDoubts(checked, config.environment)
  const isValid = problems.length === 0
  const shown = shortPath(file, cwd)
  if (args.on.has('json') && !args.on.has('quiet')) {
    out.write(`${JSON.stringify({ valid: isValid, file, name, problems, warnings })}\n`)
    return isValid ? 0 : 1
  }
  for (const warning of args.on.has('quiet') ? [] : warnings) err.write(`warning: ${shown}: ${oneLine(warning)}\n`)
  for (const problem of problems) err.write(`${problemLine(problem, shown)}\n`)
  if (isValid && !args.on.has('quiet')) out.write(`${shown} is valid: ${name}\n`)
  return isValid ? 0 : 1
}

/** Such as `- etl.yaml:7:5: cycle detected`. */
export const problemLine = ({ message, line, column }: Problem, file: string): string =>
  `- ${[file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':')}: ${oneLine(message)}`

/** Relative when the file is below the working directory. */
export function shortPath(file: string, cwd: string): string {
  const path = relative(cwd, file)
  return path.startsWith('..') ? file : path
}
