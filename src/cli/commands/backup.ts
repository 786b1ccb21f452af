/** `troupe backup DIR`: a verified copy of the home, taken while the engine runs. Our addition. */
import { resolve } from 'node:path'
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { oneLine } from '../view/text.ts'
import { version } from './version.ts'

/** Exit code: the copy is complete, and the copied home has errors. */
const FAULTY = 2

export const run: CommandModule['run'] = async (args, { out, err, cwd, clock, configure }) => {
  const config = configure(settingsOf(args))
  const { takeBackup } = await import('../../backup/backup.ts')
  const target = resolve(cwd, args.operand)
  const withLogs = !args.on.has('no-logs')
  const { files, problems, ...taken } = await takeBackup(config, clock, target, { version: version(), withLogs })
  const { runs, bytes, live } = taken
  const isQuiet = args.on.has('quiet')
  if (args.on.has('json') && !isQuiet)
    out.write(`${JSON.stringify({ backup: target, ...taken, files: files.length, problems })}\n`)
  else if (!isQuiet) {
    const mib = (bytes / 1024 ** 2).toFixed(1)
    const beside = live ? ', while an engine was running' : ''
    out.write(`${target}: ${runs} runs, ${files.length} files, ${mib} MiB; every entry was read${beside}\n`)
  }
  for (const problem of problems)
    err.write(`warning: the home has an error, and so has its copy: ${oneLine(problem)}\n`)
  if (problems.length > 0) err.write('troupe doctor shows details\n')
  return problems.length > 0 ? FAULTY : 0
}
