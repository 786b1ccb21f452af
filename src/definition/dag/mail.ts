/** `mailOn`, `errorMail`, `infoMail` and `smtp`. Source: definition-format "DAG-level fields", execution-semantics 1.7, 14.3. */
import type { MailTarget, Plan, Smtp } from '../../../machines/vocabulary.ts'
import { FLAG, PORT, TEXT, TEXTS } from '../fields/field-forms.ts'
import { key, levelOf } from '../fields/level.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { filled, optional, type Read } from '../fields/values.ts'
import { lacking } from '../problems.ts'

export const mailOn = levelOf<Plan['mailOn']>()({
  failure: key(FLAG, 'Sends `errorMail` when a run has failed.', 'true', { default: false }),
  success: key(FLAG, 'Sends `infoMail` when a run has succeeded.', 'true', { default: false })
})

// D516: some defaults are ours
export const readMailOn: Read<Plan['mailOn']> = (problems, field) =>
  mailOn.read(problems, fieldsOf(problems, field, mailOn), {})

export const mailTarget = levelOf<MailTarget>()({
  from: key(TEXT, 'Address of the sender.', 'troupe@example.org', { default: '' }),
  to: key(TEXTS, 'Addresses of the recipients.', '[ops@example.org]', { default: [] }),
  prefix: key(TEXT, 'Text before the subject.', '"[nightly]"', { default: '' }),
  attachLogs: key(FLAG, 'Attaches the logs of the steps.', 'true', { default: false })
})

/** A target without sender and receivers counts as absent. */
export const readMailTarget: Read<MailTarget> = (problems, field) => {
  const target = mailTarget.read(problems, fieldsOf(problems, field, mailTarget), {})
  return target.from === '' && target.to.length === 0 ? undefined : target
}

/** Choice: the port for submission, which offers STARTTLS. */
export const smtp = levelOf<Smtp>({ first: 'host' })({
  host: key(TEXT, 'Name of the server.', 'mail.example.org', { to: false, required: true }),
  port: key(PORT, 'Its port; 465 speaks TLS from the start.', '"465"', { default: '587' }),
  username: key(TEXT, 'User to sign in as.', 'mailer', { default: '' }),
  password: key(TEXT, 'Password to sign in with.', '${SMTP_PASSWORD}', { default: '' })
})

export const readSmtp: Read<Smtp> = (problems, field) => {
  const fields = fieldsOf(problems, field, smtp)
  if (!fields) return undefined
  const host = optional(problems, fields.get('host'), filled)
  if (!host) lacking(problems, field, 'host', 'smtp host is required')
  return smtp.read(problems, fields, { host: host ?? '' })
}
