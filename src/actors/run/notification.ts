/** Sends one mail about a run, and reports when that is done. The run log says whether it was sent. Source: execution-semantics 14.3. */
import { fromCallback } from 'xstate'
import type { NotificationInput } from '../../../machines/run.ts'
import type { MailTarget, Plan, Smtp } from '../../../machines/vocabulary.ts'
import { pause } from '../../clock.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import { expandField } from '../../definition/text/variables.ts'
import { messageOf } from '../../errors.ts'
import { type Mailbox, oneLine, recipientsIn, senderIn } from '../../executors/mail/addresses.ts'
import { type Mail, readAttachments } from '../../executors/mail/message.ts'
import { sendMail } from '../../executors/mail/send.ts'
import type { Services } from '../root/services.ts'
import { withoutBackticks } from '../step/lookups.ts'
import { logsOf, pageOf, type RunHistory, subjectOf } from './notice.ts'
import { runLookup } from './run-lookup.ts'
import { stepAt } from './run-scope.ts'

// D732: the end of a run waits for its mail
/** For everything: evaluating texts, reading logs, sending. */
const LIMIT_MS = 60_000

/**
 * Starts once the subject of the mail can be read from the store. A mail that a restart of the engine interrupted is sent again,
 * so it may arrive twice.
 */
export const notification = (services: Services) =>
  fromCallback<{ type: 'notification.stop' }, NotificationInput>(({ input, self, sendBack, receive }) => {
    const { clock, transactions } = services
    const over = new AbortController()
    let isLeft = false
    receive(() => {
      loggerFor(services, input)('WARN', 'mail was not sent', { reason: 'the run was ended by force' })
      isLeft = true
      over.abort()
    })
    async function perform(): Promise<void> {
      if (isLeft) return
      const log = loggerFor(services, input)
      const tooLate = new Promise<never>((_, reject) => {
        void pause(clock, LIMIT_MS, over.signal).then(() =>
          reject(new Error(`it took longer than ${LIMIT_MS / 1_000}s`))
        )
      })
      try {
        const to = await Promise.race([send(services, input, over.signal), tooLate])
        log('INFO', 'mail sent', { to: to.map(({ text }) => text).join(', ') })
      } catch (error) {
        if (!isLeft) log('WARN', 'mail was not sent', { reason: messageOf(error) })
      }
      over.abort()
      if (!isLeft) transactions.take(() => sendBack({ type: 'notification.ended', at: clock.now(), actorId: self.id }))
    }
    // If the engine has failed the run in the meantime, it is no longer open and does not wait for its mail.
    transactions.afterFlush(() => void perform().catch(() => over.abort()))
    return () => {
      isLeft = true
      over.abort()
    }
  })

/** Writes to the run log, with secrets masked. */
function loggerFor({ logs, scope, history }: Services, { run, mail, place }: NotificationInput) {
  return (level: 'INFO' | 'WARN', message: string, fields: Record<string, string>): void => {
    const { record, plan } = history(run)
    const about = place === undefined ? {} : { step: stepAt(plan, place).name }
    const mask = maskOf({ scope }, run)
    const masked = Object.entries(fields).map(([name, value]) => [name, mask(value)])
    logs.write(record.log, level, message, { mail, ...about, ...Object.fromEntries(masked) })
  }
}

/** Without a scope nothing that could contain a secret has been evaluated. */
function maskOf({ scope }: Pick<Services, 'scope'>, run: NotificationInput['run']): (text: string) => string {
  try {
    return scope(run).secrets.mask
  } catch {
    return (text) => text
  }
}

/** @returns the recipients @throws Error why it was not sent, or not to all of them */
async function send(services: Services, input: NotificationInput, signal: AbortSignal): Promise<Mailbox[]> {
  const { clock } = services
  const scope = services.scope(input.run)
  const { plan, secrets } = scope
  const written = input.mail === 'error' ? plan.errorMail : plan.infoMail
  if (!written) throw new Error(`${input.mail}Mail is not configured`)
  if (!plan.smtp) throw new Error('smtp is not configured')
  const caller = await services.environmentOf(input.run)
  const look = runLookup(
    scope,
    {
      ...caller,
      defaultShell: services.defaultShell,
      backticks: services.backticks,
      commands: services.commands,
      signal
    },
    { DAG_RUN_STATUS: input.status }
  )
  const target = await expandTarget(written, withoutBackticks(look))
  const smtp = await expandSmtp(plan.smtp, look)
  const to = await recipientsIn(target.to, `${input.mail}Mail.to`)
  if (to.length === 0) throw new Error(`no valid recipients specified in ${input.mail}Mail.to`)
  const from = await senderIn(target.from, `${input.mail}Mail.from`)
  const history = historyOf(services, input, plan)
  const { attachments, note } = target.attachLogs ? await attach(history) : { attachments: [], note: '' }
  const message: Mail = {
    from,
    to,
    subject: oneLine(secrets.mask(subjectOf(target.prefix, history))),
    text: pageOf(history, secrets.mask, note),
    attachments
  }
  await (services.sendMail ?? sendMail)(message, smtp, { clock, signal })
  return to
}

function historyOf(services: Services, { run, status, at, place }: NotificationInput, plan: Plan): RunHistory {
  const { record, nodes } = services.history(run)
  return { plan, record, nodes, status, ...(place === undefined ? { finishedAt: at } : {}) }
}

/** If the logs are too large in total, the mail is sent without them. */
async function attach(history: RunHistory): Promise<{ attachments: Mail['attachments']; note: string }> {
  try {
    const { attachments } = await readAttachments(logsOf(history))
    return { attachments, note: '' }
  } catch (error) {
    return { attachments: [], note: `The logs are not attached: ${messageOf(error)}.` }
  }
}

async function expandTarget({ from, to, prefix, attachLogs }: MailTarget, look: Lookup): Promise<MailTarget> {
  return {
    from: await expandField(from, look),
    to: await Promise.all(to.map((address) => expandField(address, look))),
    prefix: await expandField(prefix, look),
    attachLogs
  }
}

async function expandSmtp({ host, port, username, password }: Smtp, look: Lookup): Promise<Smtp> {
  return {
    host: await expandField(host, look),
    port: await expandField(port, look),
    username: await expandField(username, look),
    password: await expandField(password, look)
  }
}
