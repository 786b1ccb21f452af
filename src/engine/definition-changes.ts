/** Changes of definition files, beside a rename, which takes the history along. Source: api-semantics 3.3. */
import { MAX_TEXT_BYTES } from '../definition/yaml/nesting.ts'
import { TroupeError } from '../errors.ts'
import type { Engine } from './engine.ts'
import type { EngineParts } from './engine-parts.ts'

/** What `POST /dags` without a spec writes. */
const GREETING = 'steps:\n  - echo "Hello from Troupe"\n'

type Changes = 'createDefinition' | 'replaceDefinition' | 'removeDefinition' | 'suspendDefinition'

// D814
export const definitionChanges = ({ definitions, flags }: EngineParts): Pick<Engine, Changes> => ({
  async createDefinition(name, spec, { by } = {}) {
    const isFlagged = flags.all().has(name) // refuses before anything has changed
    await definitions.create(name, spec?.trim() ? spec : GREETING, by)
    if (!isFlagged) return
    // It is that of another one, whose file somebody has moved or removed.
    try {
      flags.set(name, false)
    } catch (error) {
      definitions.remove(name)
      throw error
    }
  },
  async replaceDefinition(fileName, spec, { by } = {}) {
    if (Buffer.byteLength(spec) > MAX_TEXT_BYTES)
      throw new TroupeError(
        'bad_request',
        `spec: wanted at most ${MAX_TEXT_BYTES} bytes, found ${Buffer.byteLength(spec)}`
      )
    return definitions.replace(fileName, spec, by)
  },
  // D219
  removeDefinition(fileName) {
    flags.all() // refuses before anything has changed
    definitions.remove(fileName)
    flags.set(fileName, false)
  },
  suspendDefinition(fileName, suspended) {
    definitions.get(fileName)
    flags.set(fileName, suspended)
  }
})
