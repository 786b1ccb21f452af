/** `troupe audit`: entries of the audit log, with --follow as they are written, and with `verify` whether it is what was written. Our addition. */
import type { Entry } from '../../../audit/entry.ts'
import { TroupeError } from '../../../errors.ts'
import { present } from '../../../platform/present.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { positive, settingsOf } from '../../input/flags.ts'
import { periodOf } from '../../input/run-filter.ts'
import { paintFor } from '../../view/paint.ts'
import { roomIn } from '../../view/table.ts'
import { type ListedFilter, logHere, logThere } from './audit-log.ts'
import { auditTable } from './audit-rows.ts'
import { newest } from './newest.ts'
import { verify } from './verify.ts'

const LIMIT = 20

// D1464: the audit log is for those who may do everything
export const run: CommandModule['run'] = async (args, context) => {
  const { out, err, verbatim, clock, remote } = context
  refuseUnfit(args)
  const config = context.configure(settingsOf(args))
  const log = remote ? await logThere(remote) : logHere(config)
  if (args.operand === 'verify') return verify(args, context, log)
  const filter = filterOf(args, clock.now())
  if (args.on.has('all')) {
    for await (const chunk of log.lines(filter)) {
      // As it is in its files, for a file; a terminal shows it.
      ;(out.isTTY ? out : verbatim).write(chunk)
      await out.drained?.()
    }
    return 0
  }
  if (args.on.has('quiet')) return 0
  const limit = positive(args, 'limit') ?? LIMIT
  const table = auditTable(paintFor(out.isTTY, config.environment), { tz: config.tz, room: roomIn(out) })
  const isJson = args.on.has('json')
  const linesOf = (entries: readonly Entry[]) =>
    isJson ? entries.map((entry) => JSON.stringify(entry)) : table(entries)
  const write = (lines: string[]) => out.write(lines.map((line) => `${line}\n`).join(''))
  if (args.on.has('follow')) {
    const { follow } = await import('./follow.ts')
    const enough = new AbortController()
    void out.left?.then(() => enough.abort())
    await follow(log, {
      filter,
      limit,
      clock,
      enough: enough.signal,
      say: (text) => void err.write(`${text}\n`),
      async show(entries) {
        write(linesOf(entries))
        await out.drained?.()
      }
    })
    return 0
  }
  const lines = linesOf(await newest(log, filter, limit))
  write(lines.length > 0 || isJson ? lines : [await log.whyEmpty('no entry matches')])
  return 0
}

/** @throws TroupeError bad_request */
function filterOf({ text }: Arguments, now: number): ListedFilter {
  const { principal, operation, dag, run, outcome } = text
  return { ...present({ principal, operation, dag, run, outcome }), ...periodOf(text, now) }
}

const FILTERS = ['principal', 'operation', 'dag', 'run', 'outcome', 'since', 'until', 'limit']

/** @throws TroupeError bad_request with every problem */
function refuseUnfit({ operands: [operand = '', file = ''], text, on }: Arguments): void {
  const isVerify = operand === 'verify'
  const strange = isVerify ? FILTERS.filter((flag) => text[flag] !== undefined) : []
  const problems = [
    ...(operand === '' || isVerify ? [] : [`wanted verify or nothing, found ${JSON.stringify(operand)}`]),
    ...strange.map((flag) => `--${flag} does not belong to verify, which reads all of it`),
    ...(isVerify && on.has('all') ? ['--all does not belong to verify'] : []),
    ...(!isVerify && text.expect !== undefined ? ['--expect belongs to verify'] : []),
    ...(isVerify && file !== '' && (text.url !== undefined || text['token-file'] !== undefined)
      ? ['a file is verified without --url']
      : []),
    ...(on.has('all') && text.limit !== undefined ? ['--all has no --limit'] : []),
    ...(on.has('follow') && isVerify ? ['--follow does not belong to verify'] : []),
    ...(on.has('follow') && on.has('all') ? ['--follow begins with the newest entries, so it has no --all'] : []),
    ...(on.has('follow') && text.until !== undefined ? ['--follow has no end, so it has no --until'] : [])
  ]
  if (problems.length > 0) throw new TroupeError('bad_request', `audit: ${problems.join('; ')}`)
}
