/** DAG-level `container` and `registryAuths`. Source: definition-format, execution-semantics 1.6 (aliases), 10.2.8, 10.2.20-32. */
import type { Container, RegistryAuths } from '../../../machines/vocabulary.ts'
import { expandContainer } from '../expand.ts'
import { env, regex } from '../fields/forms.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { filled, flag, isText, optional, type Read, text, textFields, textOf, texts, wordOf } from '../fields/values.ts'
import { lacking, type Problems, shortened, wrong, wrongValue } from '../problems.ts'
import { type Field, member } from '../yaml/value.ts'

export const container: Read<Container> = (problems, field) => {
  const fields = fieldsOf(problems, field, 'container')
  if (!fields) return undefined
  const image = optional(problems, fields.get('image'), filled)
  if (!image) lacking(problems, field, 'image', 'image is required when container is specified')
  const startup = optional(problems, fields.get('startup'), startupMode)
  const command = optional(problems, fields.get('command'), texts)
  if (startup === 'command' && !command?.length) {
    lacking(problems, field, 'command', "startup 'command' requires non-empty command array")
  }
  return expandContainer({
    image: image ?? '',
    name: optional(problems, fields.get('name'), filled),
    pull: optional(problems, fields.get('pullPolicy') ?? fields.get('pull'), pull),
    env: optional(problems, fields.get('env'), env),
    volumes: optional(problems, fields.get('volumes'), listOf(VOLUME, VOLUME_REASON)),
    ports: optional(problems, fields.get('ports'), listOf(PORT, PORT_REASON)),
    user: optional(problems, fields.get('user'), filled),
    workingDir: optional(problems, fields.get('workingDir') ?? fields.get('workDir'), filled),
    platform: optional(problems, fields.get('platform'), filled),
    network: optional(problems, fields.get('network'), filled),
    keepContainer: optional(problems, fields.get('keepContainer'), flag),
    startup,
    command,
    waitFor: optional(problems, fields.get('waitFor'), wordOf('running', 'healthy')),
    logPattern: optional(problems, fields.get('logPattern'), regex),
    restartPolicy: optional(problems, fields.get('restartPolicy'), wordOf('no', 'always', 'unless-stopped'))
  })
}

const STARTUPS = ['keepalive', 'entrypoint', 'command'] as const

const startupMode: Read<Container['startup']> = (problems, field) => {
  const found = text(problems, field)
  const mode = STARTUPS.find((mode) => mode === found)
  if (found !== undefined && !mode) {
    wrong(problems, field, `invalid startup mode: ${shortened(found)} (must be one of: ${STARTUPS.join(', ')})`)
  }
  return mode
}

/** A word, or a boolean in its place, also as text. */
const pull: Read<Container['pull']> = (problems, field) => {
  const written = textOf(field)
  if (isText(field) && written === 'true') return 'always'
  if (isText(field) && written === 'false') return 'never'
  return wordOf('always', 'missing', 'never')(problems, field)
}

const VOLUME = /^(?:[./~][^:]*|[a-zA-Z0-9][\w.-]*):[^:]+(?::(?:ro|rw))?$/
const VOLUME_REASON = 'invalid volume format, wanted source:target or source:target:ro'

const PORT =
  /^(?:(?:(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\]):)?\d{0,5}(?:-\d{1,5})?:)?\d{1,5}(?:-\d{1,5})?(?:\/(?:tcp|udp|sctp))?$/i
const PORT_REASON = 'invalid port format, wanted 80, 8080:80 or 127.0.0.1:8080:80, with /tcp, /udp or /sctp'

/** Texts of a form; one with variables is checked after expansion. */
function listOf(form: RegExp, reason: string): Read<string[]> {
  return (problems, field) => {
    if (field.value.kind !== 'list') {
      wrongValue(problems, field, 'must be a list of strings')
      return undefined
    }
    const parts = textFields(problems, field, 'must be a list of strings') ?? []
    for (const part of parts) {
      if (!/[$`]/.test(textOf(part)) && !form.test(textOf(part))) wrongValue(problems, part, reason)
    }
    return parts.map(textOf)
  }
}

/** A text for a host is a value of `auth`: base64, or a JSON object. */
export const registryAuths: Read<RegistryAuths> = (problems, field) => {
  const { value } = field
  if (value.kind === 'scalar' && typeof value.data === 'string') return value.text
  if (value.kind !== 'map') {
    wrongValue(problems, field, 'must be a map by registry host, or a Docker configuration as text')
    return undefined
  }
  const auths = value.entries.map(({ key, value }) => [key, registryAuth(problems, member(field, key, value))])
  return Object.fromEntries(auths)
}

function registryAuth(problems: Problems, field: Field): { username?: string; password?: string; auth?: string } {
  if (isText(field)) return { auth: textOf(field) }
  const fields = fieldsOf(problems, field, 'registryAuth')
  const username = optional(problems, fields?.get('username'), filled)
  const password = optional(problems, fields?.get('password'), filled)
  const auth = optional(problems, fields?.get('auth'), filled)
  return { ...(username && { username }), ...(password && { password }), ...(auth && { auth }) }
}
