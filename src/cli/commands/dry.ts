/**
 * `troupe dry`: what a run would do, and in which order. Reads only the definition: it opens no store, runs no command and
 * expands no variable. Source: api-semantics 11.
 */
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { paramsOf } from '../input/params-text.ts'
import { locateAsOwner } from '../owner/open-client.ts'
import { outlineLines } from '../view/outline.ts'
import { paintFor } from '../view/paint.ts'
import { oneLine } from '../view/text.ts'
import { problemLine, shortPath } from './validate.ts'

// D409
export const run: CommandModule['run'] = async (args, context) => {
  const { clock, cwd, out, err, configure } = context
  const config = configure(settingsOf(args))
  const passed = paramsOf('dry', args)
  const file = await locateAsOwner(args.operand, context, config)
  const [{ openDefinitions }, { outlineOf }] = await Promise.all([
    import('../../definitions/definitions.ts'),
    import('../foreground/outline.ts')
  ])
  const {
    definition: { name, plan, problems, warnings }
  } = await openDefinitions(config.dagsDir, config.baseConfig, clock).readFile(
    file,
    args.text.name ? { name: args.text.name } : {}
  )
  const isQuiet = args.on.has('quiet')
  const shown = shortPath(file, cwd)
  for (const warning of isQuiet ? [] : warnings) err.write(`warning: ${shown}: ${oneLine(warning)}\n`)
  if (!plan && args.on.has('json') && !isQuiet) {
    out.write(`${JSON.stringify({ valid: false, file, name, problems, warnings })}\n`)
    return 1
  }
  if (!plan) {
    for (const problem of problems) err.write(`${problemLine(problem, shown)}\n`)
    return 1
  }
  const outline = outlineOf(plan, passed)
  if (isQuiet) return 0
  if (args.on.has('json')) out.write(`${JSON.stringify({ file, ...outline })}\n`)
  else out.write(`${outlineLines(outline, paintFor(out.isTTY, config.environment)).join('\n')}\n`)
  return 0
}
