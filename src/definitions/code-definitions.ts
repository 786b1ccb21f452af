/** Definitions in code, among files: listed, shown and started like them, changed in code only. Source: docs/embedding/README.md. */
import type { Definition } from '../definition/definition.ts'
import { TroupeError } from '../errors.ts'
import type { CodeDag, CodeDags } from './code-dag.ts'
import type { Definitions } from './definitions.ts'
import type { StoredDefinition } from './stored-definition.ts'

// D1143: a definition in code hides a file of its name
/** @param code hides files of the same name */
export function withCode(files: Definitions, code: CodeDags): Definitions {
  if (code.size === 0) return files
  const made = new WeakMap<Definition, StoredDefinition>()
  let known: { files: readonly StoredDefinition[]; code: StoredDefinition[]; list: readonly StoredDefinition[] }
  known = { files: [], code: [], list: [] }

  /** Each reading gives one object: a base file may change what is read. */
  function storedOf({ name, text, release }: CodeDag): StoredDefinition {
    const definition = files.readNow(text)
    const found = made.get(definition)
    if (found) return found
    const { plan } = definition
    const stored: StoredDefinition = {
      fileName: name,
      spec: text,
      inCode: true,
      suspended: false,
      definition: { ...definition, ...(plan ? { plan: { ...plan, release } } : {}) }
    }
    made.set(definition, stored)
    return stored
  }

  function list(): readonly StoredDefinition[] {
    const all = files.list()
    const coded = [...code.values()].map(storedOf)
    if (all === known.files && coded.every((one, index) => one === known.code[index])) return known.list
    const merged = [...all.filter(({ fileName }) => !code.has(fileName)), ...coded]
    known = { files: all, code: coded, list: merged.sort((a, b) => (a.fileName < b.fileName ? -1 : 1)) }
    return known.list
  }

  const refuseCode = (fileName: string): void => {
    const dag = code.get(fileName)
    if (dag) refuseChange(storedOf(dag))
  }

  return {
    ...files,
    list,
    code: (name) => {
      const dag = code.get(name)
      return dag && { dag, stored: storedOf(dag) }
    },
    async ready(fileName) {
      if (fileName === undefined || !code.has(fileName)) await files.ready(fileName)
    },
    get(fileName) {
      const dag = code.get(fileName)
      return dag ? storedOf(dag) : files.get(fileName)
    },
    async find(fileName, name) {
      const dag = code.get(fileName)
      if (!dag) return files.find(fileName, name)
      const stored = storedOf(dag)
      const { plan } = stored.definition
      if (name === undefined || !plan) return stored
      return { ...stored, definition: { ...stored.definition, name, plan: { ...plan, name } } }
    },
    async create(name, spec, by) {
      if (code.has(name))
        throw new TroupeError(
          'already_exists',
          `${name} is defined in the code of the application that runs this engine`
        )
      return files.create(name, spec, by)
    },
    async replace(fileName, spec, by, revision) {
      refuseCode(fileName)
      return files.replace(fileName, spec, by, revision)
    },
    has: (fileName) => code.has(fileName) || files.has(fileName),
    checkFree(fileName) {
      if (code.has(fileName))
        throw new TroupeError(
          'already_exists',
          `${fileName} is defined in the code of the application that runs this engine`
        )
      files.checkFree(fileName)
    },
    remove(fileName) {
      refuseCode(fileName)
      files.remove(fileName)
    },
    rename(fileName, newFileName) {
      refuseCode(fileName)
      files.rename(fileName, newFileName)
    }
  }
}

/** @throws TroupeError forbidden: it is no file */
export function refuseChange({ fileName, inCode }: StoredDefinition): void {
  if (!inCode) return
  throw new TroupeError(
    'forbidden',
    `${fileName} is defined in the code of the application that runs this engine: change it there`
  )
}
