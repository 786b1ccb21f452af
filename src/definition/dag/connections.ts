/** `ssh` and `otel` of a definition: connections of the engine. Source: execution-semantics 1.6 (aliases), 1.7, 10.3, 14.5. */
import type { Otel, SshTarget } from '../../../machines/vocabulary.ts'
import { FILLED, FLAG, PORT, TEXT, TEXT_MAP } from '../fields/field-forms.ts'
import { key, levelOf } from '../fields/level.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { filled, isText, optional, type Read, textOf } from '../fields/values.ts'
import { lacking, wrongValue } from '../problems.ts'

export const ssh = levelOf<SshTarget>({ first: 'user host' })({
  user: key(TEXT, 'User on the machine.', 'deploy', { default: '' }),
  host: key(TEXT, 'Name or address of the machine.', 'build.example.org', { to: false }),
  ip: key(TEXT, 'Another name of `host`; it wins if both are set.', '10.0.0.7', { aliasOf: 'host' }),
  port: key(PORT, 'Port.', '2222', { default: '22' }),
  key: key(FILLED, 'Private key file.', '~/.ssh/id_ed25519', { otherwise: 'the usual ones' }),
  password: key(FILLED, 'Used if there is no key.', '${SSH_PASSWORD}', { otherwise: 'none' }),
  strictHostKey: key(FLAG, 'Refuses a machine whose key is not known.', 'false', { default: true }),
  knownHostFile: key(FILLED, 'File with the known keys.', '/etc/ssh/known', { otherwise: '`~/.ssh/known_hosts`' })
})

// D516: some defaults are ours
export const readSsh: Read<SshTarget> = (problems, field) => {
  const fields = fieldsOf(problems, field, ssh)
  if (!fields) return undefined
  const host = optional(problems, fields.get('ip') ?? fields.get('host'), filled)
  if (!host) lacking(problems, field, 'host', 'ssh host is required')
  return ssh.read(problems, fields, { host: host ?? '' })
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

export const otel = levelOf<Otel>({ open: true })({
  enabled: key(FLAG, 'Whether spans are sent.', 'true', { default: false }),
  endpoint: key(TEXT, 'A URL for OTLP over HTTP, `host:port` for gRPC.', 'localhost:4317', { default: '' }),
  headers: key(TEXT_MAP, 'Sent with each request.', '{x-team: data}', { default: {} }),
  insecure: key(FLAG, 'No TLS, or no verification.', 'true', { default: false }),
  timeout: key(
    { label: 'duration', schema: { type: ['string', 'integer'] }, read: duration },
    'Limit of one request, such as `500ms` or `1m30s`; a bare number counts seconds.',
    '5s',
    { to: 'timeoutMs', default: '10s' }
  ),
  resource: key(TEXT_MAP, 'Attributes of every span.', '{service.name: "${DAG_NAME}"}', { default: {} })
})

export const readOtel: Read<Otel> = (problems, field) => {
  const fields = fieldsOf(problems, field, otel)
  return fields && otel.read(problems, fields, {})
}
