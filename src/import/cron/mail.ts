/** Whom cron mails, as the mail of a definition. Source: crontab(5), MAILTO and MAILFROM; docs/notifications.md. */
import type { Note } from '../report.ts'

/** Without what would be evaluated or split here. */
const ADDRESS = /^[^\s@,;:<>()"'$`]+@[^\s@,;:<>()"'$`]+$/

// D1631: a mail of cron is written only as far as it can be sent
/**
 * cron mails whatever a command prints; here the end of a run is mailed.
 * @param owner the sender where MAILFROM names none, as cron has it
 */
export function mailOf(env: ReadonlyMap<string, string>, owner: string, notes: Note[]): Record<string, unknown> {
  const named = wordsOf(env.get('MAILTO'))
  const to = named.filter((one) => ADDRESS.test(one))
  const wrong = named.filter((one) => !ADDRESS.test(one))
  const [sender, ...more] = wordsOf(env.get('MAILFROM'))
  const isSender = sender !== undefined && more.length === 0 && ADDRESS.test(sender)
  const from = isSender ? sender : owner
  if (wrong.length > 0)
    notes.push({
      kind: 'left',
      text: `MAILTO: ${wrong.join(', ')}: no address, such as name@example.org; nothing is mailed to it`,
      advice: 'write mailOn: {failure: true} and errorMail with an address'
    })
  if (to.length === 0) return {}
  if (sender !== undefined && !isSender)
    notes.push({
      kind: 'left',
      text: `MAILFROM: ${[sender, ...more].join(', ')}: wanted one address; the sender is ${from}`,
      advice: 'write another errorMail.from'
    })
  notes.push({
    kind: 'note',
    text: `MAILTO: a failure is mailed to ${to.join(', ')} from ${from}, with the logs, once smtp is in the base file; cron mailed every output`,
    advice: 'write smtp in the base file; mailOn: {success: true} and infoMail mail successes, too'
  })
  return { mailOn: { failure: true }, errorMail: { from, to, attachLogs: true } }
}

const wordsOf = (text = ''): string[] =>
  text
    .split(/[,\s]+/)
    .map((one) => one.trim())
    .filter(Boolean)
