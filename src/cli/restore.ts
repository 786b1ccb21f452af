/** `troupe restore DIR`: a backup becomes the home. Our addition. */
import { resolve } from 'node:path'
import type { CommandRoom } from './commands.ts'
import { settingsOf } from './flags.ts'
import { oneLine } from './view/text.ts'

/** It was restored, and has errors as the backup had. */
const FAULTY = 2

export const run: CommandRoom['run'] = async (args, { out, err, cwd, clock, configure }) => {
  const config = configure(settingsOf(args))
  const { restoreBackup } = await import('../backup/restore.ts')
  const source = resolve(cwd, args.operand)
  const restored = await restoreBackup(config, clock, source, { replace: args.on.has('replace') })
  const { takenAt, runs, aside, problems } = restored
  if (args.on.has('json')) out.write(`${JSON.stringify({ home: config.home, ...restored })}\n`)
  else if (!args.on.has('quiet')) {
    const moment = new Date(takenAt).toISOString()
    out.write(
      `${config.home}: ${runs} runs as they were at ${moment}; the next engine goes on with those that were open\n`
    )
    for (const path of aside) out.write(`set aside: ${path}\n`)
  }
  for (const problem of problems) err.write(`warning: ${oneLine(problem)}\n`)
  if (problems.length > 0) err.write('troupe doctor --fix mends what loses nothing\n')
  return problems.length > 0 ? FAULTY : 0
}
