/** `troupe audit`: entries of the audit log, and with `verify` whether it is what was written. Our addition. */
import { TroupeError } from '../../../errors.ts'
import { present } from '../../../platform/present.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { positive, settingsOf } from '../../input/flags.ts'
import { periodOf } from '../../input/run-filter.ts'
import { paintFor } from '../../view/paint.ts'
import { roomIn } from '../../view/table.ts'
import { type AuditLog, type ListedFilter, logHere, logThere } from './audit-log.ts'
import { auditLines } from './audit-rows.ts'
import { verify } from './verify.ts'

const LIMIT = 20

// D1464
export const run: CommandModule['run'] = async (args, context) => {
  const { out, clock, remote } = context
  refuseUnfit(args)
  const config = context.configure(settingsOf(args))
  const log = remote ? await logThere(remote) : logHere(config)
  if (args.operand === 'verify') return verify(args, context, log)
  const filter = filterOf(args, clock.now())
  if (args.on.has('all')) {
    for await (const chunk of log.lines(filter)) {
      out.write(chunk)
      await out.drained?.()
    }
    return 0
  }
  const entries = await newest(log, filter, positive(args, 'limit') ?? LIMIT)
  if (args.on.has('quiet')) return 0
  if (args.on.has('json')) {
    out.write(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    return 0
  }
  const { environment, tz } = config
  const lines = auditLines(entries, paintFor(out.isTTY, environment), { tz, room: roomIn(out) })
  out.write(`${lines.join('\n') || (await log.whyEmpty())}\n`)
  return 0
}

/** The newest first. Asks part by part: one is limited. */
async function newest(log: AuditLog, filter: ListedFilter, limit: number) {
  const entries: Awaited<ReturnType<AuditLog['part']>>['entries'] = []
  for (let cursor: string | undefined; ; ) {
    const part = await log.part(filter, limit - entries.length, cursor)
    for (const entry of part.entries) entries.push(entry)
    if (part.next === undefined || entries.length >= limit) return entries
    cursor = part.next
  }
}

/** @throws TroupeError bad_request */
function filterOf({ text }: Arguments, now: number): ListedFilter {
  const { principal, operation, dag, run, outcome } = text
  return { ...present({ principal, operation, dag, run, outcome }), ...periodOf(text, now) }
}

const FILTERS = ['principal', 'operation', 'dag', 'run', 'outcome', 'since', 'until', 'limit']

/** @throws TroupeError bad_request with every problem */
function refuseUnfit({ operand, step, text, on }: Arguments): void {
  const isVerify = operand === 'verify'
  const strange = isVerify ? FILTERS.filter((flag) => text[flag] !== undefined) : []
  const problems = [
    ...(operand === '' || isVerify ? [] : [`wanted verify or nothing, found ${JSON.stringify(operand)}`]),
    ...strange.map((flag) => `--${flag} does not belong to verify, which reads all of it`),
    ...(isVerify && on.has('all') ? ['--all does not belong to verify'] : []),
    ...(!isVerify && text.expect !== undefined ? ['--expect belongs to verify'] : []),
    ...(isVerify && step !== '' && (text.url !== undefined || text['token-file'] !== undefined)
      ? ['a file is verified without --url']
      : []),
    ...(on.has('all') && text.limit !== undefined ? ['--all has no --limit'] : [])
  ]
  if (problems.length > 0) throw new TroupeError('bad_request', `audit: ${problems.join('; ')}`)
}
