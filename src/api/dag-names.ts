/** From a definition's file name to the DAG name that its history goes by. Source: api-semantics 1.3. */
import type { Engine, StoredDefinition } from '../engine.ts'
import { TroupeError } from '../errors.ts'

export const dagNameOf = ({ fileName, definition }: Pick<StoredDefinition, 'fileName' | 'definition'>): string =>
  definition.name || fileName

/** The DAG name whose history a file has; of a file that is gone, its own name. */
export function historyOf(fileName: string, engine: Engine): string {
  try {
    return dagNameOf(engine.definition(fileName))
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'not_found') return fileName
    throw error
  }
}
