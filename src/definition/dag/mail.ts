/** `mailOn`, `errorMail`, `infoMail` and `smtp`. Source: definition-format "DAG-level fields", execution-semantics 1.7, 14.3. */
import type { MailTarget, Plan, Smtp } from '../../../machines/vocabulary.ts'
import { expandMailTarget, expandSmtp } from '../expand.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { filled, flag, optional, port, type Read, text, texts } from '../fields/values.ts'
import { lacking } from '../problems.ts'

// D516
export const mailOn: Read<Plan['mailOn']> = (problems, field) => {
  const fields = fieldsOf(problems, field, 'mailOn')
  return {
    failure: optional(problems, fields?.get('failure'), flag) ?? false,
    success: optional(problems, fields?.get('success'), flag) ?? false
  }
}

/** One without sender and receivers counts as absent. */
export const mailTarget: Read<MailTarget> = (problems, field) => {
  const fields = fieldsOf(problems, field, 'mailTarget')
  const from = optional(problems, fields?.get('from'), filled)
  const to = optional(problems, fields?.get('to'), texts)
  const prefix = optional(problems, fields?.get('prefix'), text)
  const attachLogs = optional(problems, fields?.get('attachLogs'), flag)
  if (from === undefined && !to?.length) return undefined
  return expandMailTarget({ from, to, prefix, attachLogs })
}

export const smtp: Read<Smtp> = (problems, field) => {
  const fields = fieldsOf(problems, field, 'smtp')
  if (!fields) return undefined
  const host = optional(problems, fields.get('host'), filled)
  if (!host) lacking(problems, field, 'host', 'smtp host is required')
  return expandSmtp({
    host: host ?? '',
    port: optional(problems, fields.get('port'), port),
    username: optional(problems, fields.get('username'), text),
    password: optional(problems, fields.get('password'), text)
  })
}
