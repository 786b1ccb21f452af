/** `troupe audit verify [FILE]`: names the first place at which an audit log is not what was written. */
import { resolve } from 'node:path'
import { type Verdict, verified } from '../../../audit/verify.ts'
import { TroupeError } from '../../../errors.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments } from '../../input/command.ts'
import { paintFor } from '../../view/paint.ts'
import { oneLine } from '../../view/text.ts'
import type { AuditLog } from './audit-log.ts'
import { linesOfFile } from './audit-log.ts'

const NONE = 'no entries'
/** Exit code; 1 is a failed call. */
const BROKEN = 2

export async function verify(args: Arguments, context: CliContext, log: AuditLog): Promise<number> {
  const { out, cwd, configure } = context
  const hashes = hashesIn(args.text.expect)
  const [, path = ''] = args.operands
  const file = path === '' ? undefined : resolve(cwd, path)
  const { head, lines } = file === undefined ? await log.all() : { head: undefined, lines: linesOfFile(file) }
  const verdict = await verified(lines, { head, isWhole: file === undefined, hashes })
  const exitCode = verdict.count > 0 ? BROKEN : 0
  if (args.on.has('quiet') && exitCode === 0) return 0
  if (args.on.has('json')) {
    out.write(`${JSON.stringify({ valid: exitCode === 0, ...verdict })}\n`)
    return exitCode
  }
  const paint = paintFor(out.isTTY, configure({}).environment)
  const name = file ?? log.name
  const none = verdict.entries > 0 || file !== undefined ? NONE : await log.whyEmpty(NONE)
  const shown = [
    exitCode === 0 ? soundText(name, verdict, none) : paint('red', `${name}: this is not what was written`),
    ...verdict.breaks.map(({ message }) => `${paint('red', 'broken')}  ${oneLine(message)}`),
    ...(verdict.count > verdict.breaks.length ? [`and ${verdict.count - verdict.breaks.length} more`] : []),
    ...verdict.notes.map((note) => paint('faint', `note    ${oneLine(note)}`))
  ]
  out.write(`${shown.join('\n')}\n`)
  return exitCode
}

/** @param none what is said where there are no entries */
function soundText(name: string, { entries, first, last, dropped }: Verdict, none: string): string {
  if (!first || !last) return `${name}: ${none}`
  const before = dropped
    ? `; those up to ${dropped.through} were dropped by the retention (the last of them on ${dropped.until}, hash ${dropped.hash})`
    : ''
  return `${name}: ${entries === 1 ? '1 entry' : `${entries} entries`}, ${first.seq} to ${last.seq}, as they were written${before}\nthe last one has the hash ${last.hash}`
}

/** @throws TroupeError bad_request */
function hashesIn(text: string | undefined): string[] {
  const hashes = text?.split(',').map((hash) => hash.trim().toLowerCase()) ?? []
  const wrong = hashes.find((hash) => !/^[0-9a-f]{64}$/.test(hash))
  if (wrong === undefined) return hashes
  throw new TroupeError(
    'bad_request',
    `--expect: wanted hashes of 64 hexadecimal digits, found ${JSON.stringify(wrong)}`
  )
}
