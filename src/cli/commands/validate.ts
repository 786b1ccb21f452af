/** `troupe validate`: all problems of a definition, each with its position. Opens no store. Source: api-semantics 11. */
import type { Problem } from '../../definition/definition.ts'
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { askedDefinition } from '../owner/asked-definition.ts'
import { oneLine } from '../view/text.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { out, err, configure } = context
  const { file, shown, short, check } = await askedDefinition(args.operand, context, configure(settingsOf(args)))
  const { name, problems, warnings } = await check()
  const isValid = problems.length === 0
  if (args.on.has('json') && !args.on.has('quiet')) {
    out.write(`${JSON.stringify({ valid: isValid, file, name, problems, warnings })}\n`)
    return isValid ? 0 : 1
  }
  for (const warning of args.on.has('quiet') ? [] : warnings) err.write(`warning: ${short}: ${oneLine(warning)}\n`)
  for (const problem of problems) err.write(`${problemLine(problem, short)}\n`)
  if (isValid && !args.on.has('quiet')) out.write(`${shown} is valid: ${name}\n`)
  return isValid ? 0 : 1
}

/** Such as `- etl.yaml:7:5: cycle detected`. */
export const problemLine = ({ message, line, column }: Problem, file: string): string =>
  `- ${[file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':')}: ${oneLine(message)}`
