/** `troupe restore DIR`: a backup becomes the home. Our addition. */
import { resolve } from 'node:path'
import type { OpenRun } from '../../backup/open-runs.ts'
import type { Config } from '../../config.ts'
import { messageOf } from '../../errors.ts'
import type { CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { entered } from '../owner/entered.ts'
import { counted, oneLine } from '../view/text.ts'

/** Exit code: the home is restored, with the errors of the backup. */
const FAULTY = 2

/** Restored settings may name other paths than those that were restored to. */
function movedAway(config: Config, readAgain: () => Config): string[] {
  let restored: Config
  try {
    restored = readAgain()
  } catch (error) {
    return [`the settings came with the backup, and no engine takes them here: ${messageOf(error)}`]
  }
  const places = [
    ['paths.dataDir', config.dataDir, restored.dataDir],
    ['paths.dagsDir', config.dagsDir, restored.dagsDir],
    ['paths.logDir', config.logDir, restored.logDir],
    ['paths.suspendFlagsDir', config.suspendFlagsDir, restored.suspendFlagsDir],
    ['paths.baseConfig', config.baseConfig, restored.baseConfig]
  ] as const
  return places
    .filter(([, here, there]) => here !== there)
    .map(
      ([key, here, there]) =>
        `${restored.file} came with the backup and sets ${key} to ${there}: engines look there, what was restored is at ${here}; take it out, or move that there`
    )
}

/** Runs of one kind that are named. */
const NAMED = 10

const openText = ({ length }: readonly OpenRun[]) =>
  length === 0 ? 'none was open' : `${counted(length, 'run')} of them ${length === 1 ? 'was' : 'were'} open`

/** What the next engine does with those that were open. */
function* fates(open: readonly OpenRun[]): Generator<string> {
  for (const [how, does] of Object.entries(FATES) as [OpenRun['how'], string][]) {
    const runs = open.filter((run) => run.how === how)
    if (runs.length === 0) continue
    const named = runs
      .slice(0, NAMED)
      .map(({ name, dagRunId, step }) => `${name} ${dagRunId}${step === undefined ? '' : ` (${step})`}`)
    const more = runs.length > NAMED ? `, and ${runs.length - NAMED} more (--json shows all)` : ''
    yield oneLine(`${counted(runs.length, 'run')} ${does}: ${named.join(', ')}${more}`)
  }
}

const FATES: Record<OpenRun['how'], string> = {
  unknown: 'with a step that fails, as nobody knows how it ended (outcome unknown)',
  reruns: 'with a step that is executed again (onInterrupt: rerun)',
  continues: 'to continue',
  queued: 'to start from the queue'
}

// D862: restore uses the current settings
export const run: CommandModule['run'] = async (args, context) => {
  const { out, err, cwd, clock, configure } = context
  const config = configure(settingsOf(args))
  const { restoreBackup } = await import('../../backup/restore.ts')
  const source = resolve(cwd, args.operand)
  const restored = await restoreBackup(config, clock, source, { replace: args.on.has('replace') })
  const { takenAt, runs, open, aside, problems } = restored
  await entered(context, config, {
    operation: 'restoreHome',
    target: { backup: source },
    after: { takenAt: new Date(takenAt).toISOString(), runs, aside }
  })
  const isQuiet = args.on.has('quiet')
  if (args.on.has('json') && !isQuiet) out.write(`${JSON.stringify({ home: config.home, ...restored })}\n`)
  else if (!isQuiet) {
    const moment = new Date(takenAt).toISOString()
    out.write(`${config.home}: ${counted(runs, 'run')} as of ${moment}; ${openText(open)}\n`)
    for (const line of fates(open)) out.write(`${line}\n`)
    for (const path of aside) out.write(`set aside: ${path}\n`)
  }
  for (const problem of [...movedAway(config, () => configure(settingsOf(args))), ...problems])
    err.write(`warning: ${oneLine(problem)}\n`)
  if (problems.length > 0) err.write('troupe doctor --fix fixes what can be fixed without losing data\n')
  return problems.length > 0 ? FAULTY : 0
}
