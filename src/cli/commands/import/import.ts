/** `troupe import dagu|crontab`: brings what another scheduler has kept into a home. Our addition. */
import { resolve } from 'node:path'
import { TroupeError } from '../../../errors.ts'
import { didYouMean } from '../../../nearest.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'

// D1509: `--home` names the home of Dagu
/** `--home` names the home of Dagu; the one that is imported into is ENGINE_HOME, or `--into`. */
const own = (args: Arguments, cwd: string): Arguments => {
  const { home: _home, into, ...text } = args.text
  return { ...args, text: { ...text, ...(into === undefined ? {} : { home: resolve(cwd, into) }) } }
}

export const run: CommandModule['run'] = async (args, context) => {
  const [from = ''] = args.operands
  if (from === 'dagu') return (await import('./dagu.ts')).run(args, own(args, context.cwd), context)
  if (from === 'crontab') return (await import('./crontab.ts')).run(args, own(args, context.cwd), context)
  throw new TroupeError(
    'bad_request',
    `import: wanted dagu or crontab, found ${from}${didYouMean(from, ['dagu', 'crontab'])}`
  )
}
