/**
 * `troupe dry`: what a run would do, and in which order. Reads only the definition: it opens no store, runs no command and
 * expands no variable. Source: api-semantics 11.
 */
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { paramsOf } from '../input/params-text.ts'
import { askedDefinition } from '../owner/asked-definition.ts'
import { outlineLines } from '../view/outline.ts'
import { paintFor } from '../view/paint.ts'
import { oneLine } from '../view/text.ts'
import { problemLine } from './validate.ts'

// D409: `dry` evaluates no params and ignores `runConfig`
export const run: CommandModule['run'] = async (args, context) => {
  const { out, err, configure } = context
  const config = configure(settingsOf(args))
  const passed = paramsOf('dry', args)
  const { file, short, outline: ask } = await askedDefinition(args.operand, context, config)
  const { name, problems, warnings, outline } = await ask(passed, args.text.name)
  const isQuiet = args.on.has('quiet')
  for (const warning of isQuiet ? [] : warnings) err.write(`warning: ${short}: ${oneLine(warning)}\n`)
  if (!outline && args.on.has('json') && !isQuiet) {
    out.write(`${JSON.stringify({ valid: false, file, name, problems, warnings })}\n`)
    return 1
  }
  if (!outline) {
    for (const problem of problems) err.write(`${problemLine(problem, short)}\n`)
    return 1
  }
  if (isQuiet) return 0
  if (args.on.has('json')) out.write(`${JSON.stringify({ file, ...outline })}\n`)
  else out.write(`${outlineLines(outline, paintFor(out.isTTY, config.environment)).join('\n')}\n`)
  return 0
}
