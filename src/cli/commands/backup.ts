/** `troupe backup DIR`: a verified copy of the home, taken while the engine runs; with `--url` as an archive. Our addition. */
import { resolve } from 'node:path'
import type { Taken } from '../../backup/backup.ts'
import type { CliContext, Remote } from '../context.ts'
import { interruptsOf } from '../foreground/interrupts.ts'
import type { Arguments, CommandModule } from '../input/command.ts'
import { settingsOf } from '../input/flags.ts'
import { entered } from '../owner/entered.ts'
import { counted, oneLine } from '../view/text.ts'
import { version } from './version.ts'

/** Exit code: the copy is complete, and the copied home has errors. */
const FAULTY = 2
const INTERRUPTED = 130

export const run: CommandModule['run'] = async (args, context) => {
  const { out, err, cwd, remote } = context
  const target = resolve(cwd, args.operand)
  const found = remote ? await takenThere(args, target, remote, context) : await takenHere(args, target, context)
  if (!found) return INTERRUPTED
  const { files, problems, ...taken } = found
  const { runs, bytes, live } = taken
  const isQuiet = args.on.has('quiet')
  if (args.on.has('json') && !isQuiet)
    out.write(`${JSON.stringify({ backup: target, ...taken, files: files.length, problems })}\n`)
  else if (!isQuiet) {
    const mib = (bytes / 1024 ** 2).toFixed(1)
    const beside = live ? ', while an engine was running' : ''
    out.write(
      `${target}: ${counted(runs, 'run')}, ${counted(files.length, 'file')}, ${mib} MiB; every entry was read${beside}\n`
    )
  }
  for (const problem of problems)
    err.write(`warning: the home has an error, and so has its copy: ${oneLine(problem)}\n`)
  if (problems.length > 0) err.write('troupe doctor shows details\n')
  return problems.length > 0 ? FAULTY : 0
}

async function takenHere(args: Arguments, target: string, context: CliContext): Promise<Taken> {
  const { clock, configure } = context
  const config = configure(settingsOf(args))
  const { takeBackup } = await import('../../backup/backup.ts')
  const taken = await takeBackup(config, clock, target, { version: version(), withLogs: withLogs(args) })
  await entered(context, config, {
    operation: 'backUpHome',
    target: { backup: target },
    after: { runs: taken.runs }
  })
  return taken
}

/** Undefined: it was interrupted, and nothing was kept. */
async function takenThere(
  args: Arguments,
  target: string,
  remote: Remote,
  context: CliContext
): Promise<Taken | undefined> {
  const [{ archiveFrom }, { receiveBackup }, { sizeOf }] = await Promise.all([
    import('../remote/streams.ts'),
    import('../../backup/received.ts'),
    import('../../backup/manifest.ts')
  ])
  const enough = new AbortController()
  const interrupts = interruptsOf(context)
  void interrupts.next().then(() => enough.abort())
  try {
    const archive = archiveFrom(remote, { withLogs: withLogs(args) }, enough.signal)
    const manifest = await receiveBackup(target, archive)
    return { problems: [], ...manifest, bytes: sizeOf(manifest) }
  } catch (error) {
    if (!enough.signal.aborted) throw error
    context.err.write('interrupted: nothing was kept\n')
    return undefined
  } finally {
    interrupts.end()
  }
}

const withLogs = ({ on }: Arguments) => !on.has('no-logs')
