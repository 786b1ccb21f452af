/** `secrets`: where the values are to be had. Nothing is looked up here. Source: execution-semantics 14.4.1. */
import type { Secret } from '../../machines/vocabulary.ts'
import { checkVariable } from './forms.ts'
import { fieldsOf } from './mapping.ts'
import { lacking, type Problems, shortened, wrong, wrongValue } from './problems.ts'
import type { Field } from './value.ts'
import { filled, optional, partsOf, type Read, textMap } from './values.ts'

export const secrets: Read<Secret[]> = (problems, field) => {
  if (field.value.kind !== 'list') {
    wrongValue(problems, field, 'must be a list of maps with name, provider and key')
    return undefined
  }
  const names = new Set<string>()
  return partsOf(field).flatMap((part) => {
    const found = secret(problems, part)
    if (!found) return []
    if (names.has(found.name)) wrong(problems, part, `duplicate secret name "${shortened(found.name)}"`)
    names.add(found.name)
    return [found]
  })
}

function secret(problems: Problems, field: Field): Secret | undefined {
  const fields = fieldsOf(problems, field, 'secret')
  if (!fields) return undefined
  const [name, provider, key] = (['name', 'provider', 'key'] as const).map((part): string | undefined => {
    const given = fields.get(part)
    const value = given && filled(problems, given)?.trim()
    // Anything but a text has been told already.
    const isTold = given && given.value.kind !== 'scalar'
    if (!value && !isTold) lacking(problems, field, part, `secret ${part} is required`)
    return value || undefined
  })
  const options = optional(problems, fields.get('options'), textMap)
  const nameField = fields.get('name')
  if (name && nameField && !checkVariable(problems, nameField, name)) return undefined
  const known = provider === 'env' || provider === 'file' ? provider : undefined
  if (provider && !known) {
    const reason = `unknown secret provider: ${shortened(provider)} (must be one of: env, file)`
    wrong(problems, fields.get('provider') ?? field, reason)
  }
  return name && known && key ? { name, provider: known, key, ...(options && { options }) } : undefined
}
