/** DAG-level `container` and `registryAuths`. Source: definition-format, execution-semantics 1.6 (aliases), 10.2.8, 10.2.20-32. */
import type { Container, RegistryAuths } from '../../../machines/vocabulary.ts'
import { ENV, either, FILLED, FLAG, oneOf, TEXT, TEXT_LIST, TEXTS } from '../fields/field-forms.ts'
import { key, levelOf, table } from '../fields/level.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { regex } from '../fields/patterns.ts'
import { filled, isText, optional, type Read, text, textFields, textOf, wordOf } from '../fields/values.ts'
import { lacking, type Problems, shortened, wrong, wrongValue } from '../problems.ts'
import { type Field, member } from '../yaml/value.ts'

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

const PULL = either(
  '`always`, `missing`, `never`, or boolean',
  oneOf('always', 'missing', 'never', 'true', 'false'),
  FLAG
)

export const container = levelOf<Container>({ first: 'image' })({
  image: key(TEXT, 'Image of the container.', 'python:3.12-slim', { to: false, required: true }),
  name: key(FILLED, 'Name of the container.', 'etl-box', { otherwise: 'one of the engine' }),
  pullPolicy: key(PULL, 'When the image is fetched.', 'always', { read: pull, to: 'pull', default: 'missing' }),
  pull: key(PULL, 'Another name of `pullPolicy`.', 'never', { aliasOf: 'pullPolicy' }),
  env: key(ENV, 'Variables in the container.', '[STAGE=test]', { default: [] }),
  volumes: key(
    TEXT_LIST,
    '`source:target`, with `:ro` or `:rw`; a path is bound, any other word is a volume.',
    '["./data:/data:ro", "cache:/root/.cache"]',
    { read: listOf(VOLUME, VOLUME_REASON), default: [] }
  ),
  ports: key(TEXT_LIST, 'Ports to open.', '["8080:80", "53/udp"]', { read: listOf(PORT, PORT_REASON), default: [] }),
  user: key(FILLED, 'User in the container.', '"1000:1000"', { otherwise: "the image's" }),
  workingDir: key(FILLED, 'Folder of the steps.', '/work', { otherwise: "the image's" }),
  workDir: key(TEXT, 'Another name of `workingDir`.', '/work', { aliasOf: 'workingDir' }),
  platform: key(FILLED, 'Platform of the image.', 'linux/arm64', { otherwise: "the daemon's" }),
  network: key(FILLED, 'Network, or `container:<id>`.', 'host', { otherwise: 'bridge' }),
  keepContainer: key(FLAG, 'Keeps it after the run.', 'true', { default: false }),
  startup: key(
    oneOf(...STARTUPS),
    'What the container runs: an idle process, what its image says, or the field `command`.',
    'entrypoint',
    { read: startupMode, default: 'keepalive' }
  ),
  command: key(TEXTS, 'Words to start it with.', '[serve, --port, "80"]', { default: [] }),
  waitFor: key(oneOf('running', 'healthy'), 'State that it must reach before the first step.', 'healthy', {
    default: 'running'
  }),
  logPattern: key(TEXT, 'Pattern that its log must match first.', '"ready on .*"', { read: regex }),
  restartPolicy: key(oneOf('no', 'always', 'unless-stopped'), 'Whether the daemon restarts it.', 'unless-stopped', {
    otherwise: '`no`'
  })
})

export const readContainer: Read<Container> = (problems, field) => {
  const fields = fieldsOf(problems, field, container)
  if (!fields) return undefined
  const image = optional(problems, fields.get('image'), filled)
  if (!image) lacking(problems, field, 'image', 'image is required when container is specified')
  const found = container.read(problems, fields, { image: image ?? '' })
  if (found.startup === 'command' && found.command.length === 0)
    lacking(problems, field, 'command', "startup 'command' requires non-empty command array")
  return found
}

export const registryAuth = table({
  username: key(TEXT, 'User of the registry.', 'bot'),
  password: key(TEXT, 'Password or token.', '${TOKEN}'),
  auth: key(TEXT, 'Both as base64, instead of the two fields.', 'Ym90OnRva2Vu')
})

/** A text for a host is a value of `auth`: base64, or a JSON object. */
export const registryAuths: Read<RegistryAuths> = (problems, field) => {
  const { value } = field
  if (value.kind === 'scalar' && typeof value.data === 'string') return value.text
  if (value.kind !== 'map') {
    wrongValue(problems, field, 'must be a map by registry host, or a Docker configuration as text')
    return undefined
  }
  const auths = value.entries.map(({ key, value }) => [key, authOf(problems, member(field, key, value))])
  return Object.fromEntries(auths)
}

function authOf(problems: Problems, field: Field): { username?: string; password?: string; auth?: string } {
  if (isText(field)) return { auth: textOf(field) }
  const fields = fieldsOf(problems, field, registryAuth)
  const username = optional(problems, fields?.get('username'), filled)
  const password = optional(problems, fields?.get('password'), filled)
  const auth = optional(problems, fields?.get('auth'), filled)
  return { ...(username && { username }), ...(password && { password }), ...(auth && { auth }) }
}
