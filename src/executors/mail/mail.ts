/** `mail` steps: one message through the DAG's mail server. Source: execution-semantics 10.6. */
import { basename } from 'node:path'
import type { TlsOptions } from 'node:tls'
import type { Clock } from '../../clock.ts'
import { messageOf } from '../../errors.ts'
import { configValues } from '../frame/config-values.ts'
import { ExecutionError, type Work } from '../frame/in-process.ts'
import { namedPath } from '../frame/named-file.ts'
import { write } from '../frame/step-output.ts'
import { oneLine, recipientsIn, senderIn } from './addresses.ts'
import { type Mail, readAttachments } from './message.ts'
import { sendMail } from './send.ts'

const RULE = '-----'

/** @param tls additional trust, such as a private `ca`. @throws Error when it is not sent */
export async function mail(work: Work, clock: Clock, tls: Pick<TlsOptions, 'ca'> = {}): Promise<number> {
  const { execution, stdout, stderr, signal } = work
  const { smtp, workingDir } = execution
  if (!smtp) throw new Error('smtp is not configured')
  const values = configValues(execution.config ?? {})
  const to = await recipientsIn(values.texts('to') ?? [], 'config.to')
  if (to.length === 0) throw new Error('no valid recipients specified')
  const from = await senderIn(values.text('from') ?? '', 'config.from')
  const subject = oneLine(values.text('subject') ?? '')
  const text = values.text('message') ?? ''
  const contentType = values.text('contentType')
  const paths = (values.texts('attachments') ?? []).filter(Boolean).map((path) => namedPath(workingDir, path))
  const { attachments, skipped } = await readAttachments(paths.map((path) => ({ path, name: basename(path) })))
  for (const { path, reason } of skipped) await write(stderr, `attachment ${path} is skipped: ${reason}\n`)
  const message: Mail = { from, to, subject, text, attachments, ...(contentType ? { contentType } : {}) }
  const block = [
    'sending email',
    RULE,
    `from: ${from.text}`,
    `to: ${to.map(({ text }) => text).join(', ')}`,
    `subject: ${subject}`,
    `message: ${text}`,
    RULE
  ]
  await write(stdout, `${block.join('\n')}\n`)
  try {
    await sendMail(message, smtp, { clock, signal, tls })
  } catch (error) {
    if (signal.aborted) throw error
    throw new ExecutionError(1, `error occurred.\n${messageOf(error)}`, { cause: error })
  }
  await write(stdout, 'sending email succeed.\n')
  return 0
}
