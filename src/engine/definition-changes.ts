/** Changes of definition files, except for renames, which move the history as well. Source: api-semantics 3.3. */
import { MAX_TEXT_BYTES } from '../definition/yaml/nesting.ts'
import { TroupeError } from '../errors.ts'
import type { VersionNotes } from './definition-versions.ts'
import type { Engine } from './engine.ts'
import type { EngineParts } from './engine-parts.ts'

/** The definition that `POST /dags` creates without a spec. */
const GREETING = 'steps:\n  - echo "Hello from Troupe"\n'

type Changes = 'createDefinition' | 'replaceDefinition' | 'removeDefinition' | 'suspendDefinition'

// D814: a definition created with `POST /dags` is never suspended
export const definitionChanges = (
  { definitions, flags }: EngineParts,
  versions: VersionNotes
): Pick<Engine, Changes> => ({
  async createDefinition(name, spec, { by } = {}) {
    const isFlagged = flags.all().has(name) // may throw, so it comes before any change
    const text = spec?.trim() ? spec : GREETING
    await versions.saving(
      { fileName: name, spec: text, by },
      () => definitions.create(name, text, by),
      () => true
    )
    if (!isFlagged) return
    // A flag left over from another definition whose file was moved or removed.
    try {
      flags.set(name, false)
    } catch (error) {
      definitions.remove(name)
      throw error
    }
  },
  async replaceDefinition(fileName, spec, { by, revision } = {}) {
    if (Buffer.byteLength(spec) > MAX_TEXT_BYTES)
      throw new TroupeError(
        'bad_request',
        `spec: wanted at most ${MAX_TEXT_BYTES} bytes, found ${Buffer.byteLength(spec)}`
      )
    return versions.saving(
      { fileName, spec, by },
      () => definitions.replace(fileName, spec, by, revision),
      (errors) => errors.length === 0
    )
  },
  // D219: `DELETE` removes only the file that is shown
  removeDefinition(fileName) {
    flags.all() // may throw, so it comes before any change
    definitions.remove(fileName)
    flags.set(fileName, false)
  },
  suspendDefinition(fileName, suspended) {
    definitions.get(fileName)
    flags.set(fileName, suspended)
  }
})
