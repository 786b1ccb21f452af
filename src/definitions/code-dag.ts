/** A definition in the code of a host application, as an engine works with it. Source: docs/embedding/README.md. */
import type { Json, Release } from '../../machines/vocabulary.ts'

export interface CodeDag {
  name: string
  /** In the definition format. */
  text: string
  release: Release
  /**
   * Checks the params of a run with the schema of the DAG, and completes them.
   * @param params as a caller wrote them: JSON, or texts by name @param texts whether all of them are texts, which a schema
   * may want to be numbers and the like
   * @returns what the functions of its steps get @throws TroupeError bad_request (details.errors: all issues)
   */
  fitParams(params: { [name: string]: Json }, texts: boolean): Promise<{ [name: string]: Json }>
  /**
   * Checks the payload of a signal with its schema, and completes it; undefined: the step has none in the code of today.
   * @throws TroupeError bad_request (details.errors: all issues)
   */
  fitPayload(step: string, payload: unknown): Promise<Json> | undefined
}

/** The definitions in code of an engine, by name. */
export type CodeDags = ReadonlyMap<string, CodeDag>
