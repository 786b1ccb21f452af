/** `ssh` and `otel` of a definition: connections of the engine. Source: execution-semantics 1.6 (aliases), 1.7, 10.3, 14.5. */
import type { Otel, SshTarget } from '../../../machines/vocabulary.ts'
import { expandOtel, expandSsh } from '../expand.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { filled, flag, isText, optional, port, type Read, text, textMap, textOf } from '../fields/values.ts'
import { lacking, wrongValue } from '../problems.ts'

// D516
export const ssh: Read<SshTarget> = (problems, field) => {
  const fields = fieldsOf(problems, field, 'ssh')
  if (!fields) return undefined
  const host = optional(problems, fields.get('ip') ?? fields.get('host'), filled)
  if (!host) lacking(problems, field, 'host', 'ssh host is required')
  return expandSsh({
    user: optional(problems, fields.get('user'), text),
    host: host ?? '',
    port: optional(problems, fields.get('port'), port),
    key: optional(problems, fields.get('key'), filled),
    password: optional(problems, fields.get('password'), filled),
    strictHostKey: optional(problems, fields.get('strictHostKey'), flag),
    knownHostFile: optional(problems, fields.get('knownHostFile'), filled)
  })
}

export const otel: Read<Otel> = (problems, field) => {
  const fields = fieldsOf(problems, field, 'otel')
  if (!fields) return undefined
  return expandOtel({
    enabled: optional(problems, fields.get('enabled'), flag),
    endpoint: optional(problems, fields.get('endpoint'), text),
    headers: optional(problems, fields.get('headers'), textMap),
    insecure: optional(problems, fields.get('insecure'), flag),
    timeoutMs: optional(problems, fields.get('timeout'), duration),
    resource: optional(problems, fields.get('resource'), textMap)
  })
}

const DURATION = /^(?:(\d{1,6})h)?(?:(\d{1,8})m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,12})ms)?$/

/** Milliseconds of a text such as `1m30s` or `500ms`; a bare number counts seconds. */
const duration: Read<number> = (problems, field) => {
  const written = textOf(field).trim()
  if (isText(field) && /^\d{1,9}$/.test(written)) return Number(written) * 1000
  const [whole, hours = 0, minutes = 0, seconds = 0, ms = 0] = DURATION.exec(written) ?? []
  if (whole) return Math.round((Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000 + Number(ms))
  wrongValue(problems, field, 'must be a duration such as 500ms, 10s or 1m30s')
  return undefined
}
