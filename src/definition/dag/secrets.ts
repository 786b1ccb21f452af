/** `secrets`: the sources of the values. Nothing is looked up here. Source: execution-semantics 14.4.1. */
import type { Secret, SecretProvider } from '../../../machines/vocabulary.ts'
import { oneOf, TEXT, TEXT_MAP, VARIABLE } from '../fields/field-forms.ts'
import { key, table } from '../fields/level.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { filled, optional, partsOf, type Read, textMap } from '../fields/values.ts'
import { lacking, type Problems, shortened, wrong, wrongValue } from '../problems.ts'
import { exportable } from '../shell/exportable.ts'
import type { Field } from '../yaml/value.ts'

const PROVIDERS = ['env', 'file', 'command', 'host'] as const satisfies SecretProvider[]
const LONGEST_WAIT_SEC = 3_600
const LONGEST_CACHE_SEC = 86_400

export const secret = table({
  name: key(VARIABLE, 'Variable that holds the value.', 'TOKEN', { required: true }),
  provider: key(
    oneOf(...PROVIDERS),
    "Where the value is: in a variable (of the DAG's dotenv file or `env`, else of the server), in a file, printed by a command, or known to the host application. See [secrets](secrets.md).",
    'file',
    { required: true }
  ),
  key: key(
    TEXT,
    'Name of the variable, path of the file, the command, or what the host application calls it.',
    '/run/secrets/token',
    { required: true }
  ),
  options: key(
    TEXT_MAP,
    'Of `command`: `cacheSec`, `timeoutSec`. Of `host`: `timeoutSec`, and others for the application. The other two have none.',
    '{timeoutSec: "5"}'
  )
})

export const secrets: Read<Secret[]> = (problems, field) => {
  if (field.value.kind !== 'list') {
    wrongValue(problems, field, 'must be a list of maps with name, provider and key')
    return undefined
  }
  const names = new Set<string>()
  return partsOf(field).flatMap((part) => secretOf(problems, part, names) ?? [])
}

/** @param names of those before it; its own is added, whatever else is wrong */
function secretOf(problems: Problems, field: Field, names: Set<string>): Secret | undefined {
  const fields = fieldsOf(problems, field, secret)
  if (!fields) return undefined
  const [name, provider, key] = (['name', 'provider', 'key'] as const).map((part): string | undefined => {
    const written = fields.get(part)
    const value = written && filled(problems, written)?.trim()
    // Anything but a text has been reported already.
    const isTold = written && written.value.kind !== 'scalar'
    if (!value && !isTold) lacking(problems, field, part, `secret ${part} is required`)
    return value || undefined
  })
  const options = optional(problems, fields.get('options'), textMap)
  if (name && names.has(name)) wrong(problems, field, `duplicate secret name "${shortened(name)}"`)
  if (name) names.add(name)
  const nameField = fields.get('name')
  const isNamed = name && nameField && isVariable(problems, nameField, name)
  const known = PROVIDERS.find((one) => one === provider)
  if (provider && !known) {
    const reason = `unknown secret provider: ${shortened(provider)} (must be one of: ${PROVIDERS.join(', ')})`
    wrong(problems, fields.get('provider') ?? field, reason)
  }
  if (known && options) checkOptions(problems, fields.get('options') ?? field, known, options)
  return isNamed && known && key ? { name, provider: known, key, ...(options && { options }) } : undefined
}

/** All other options of `host` are for the application. */
function checkOptions(
  problems: Problems,
  field: Field,
  provider: SecretProvider,
  options: Readonly<Record<string, string>>
): void {
  if (provider === 'env' || provider === 'file') return // they have none, and none has ever been refused
  for (const [name, value] of Object.entries(options)) {
    if (provider === 'command' && name !== 'cacheSec' && name !== 'timeoutSec')
      wrongValue(
        problems,
        field,
        `unknown option ${shortened(name)} of provider command: wanted cacheSec or timeoutSec`
      )
    else if (name === 'timeoutSec' && !(Number(value) > 0 && Number(value) <= LONGEST_WAIT_SEC))
      wrongValue(
        problems,
        field,
        `timeoutSec: wanted seconds above 0, at most ${LONGEST_WAIT_SEC}, found ${shortened(value)}`
      )
    else if (
      provider === 'command' &&
      name === 'cacheSec' &&
      !(Number(value) >= 0 && Number(value) <= LONGEST_CACHE_SEC)
    )
      wrongValue(problems, field, `cacheSec: wanted seconds from 0 to ${LONGEST_CACHE_SEC}, found ${shortened(value)}`)
  }
}

/** A shell puts the value of a secret into a command: it must be able to receive it by this name. */
function isVariable(problems: Problems, field: Field, name: string): boolean {
  if (exportable(name)) return true
  const wanted = /^[A-Za-z_]\w*$/.test(name)
    ? 'a name that shells do not set themselves'
    : 'letters, digits and _, and no digit at the beginning'
  wrongValue(problems, field, `no shell can export a secret of this name: wanted ${wanted}`)
  return false
}
