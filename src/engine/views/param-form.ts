/** The params of a run for a form: each with its value, and the schema that checks them. Nothing is evaluated. */
import { resolve } from 'node:path'
import type { Param, Plan, RunParam } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import { isEvaluated } from '../../definition/text/variables.ts'
import { isRemote, localSchema, remoteSchema } from '../../definitions/schema-source.ts'
import { messageOf } from '../../errors.ts'
import { atHome } from '../../platform/at-home.ts'

export interface ParamForm {
  /** In written order. Of a definition: its defaults as they are written, references and commands included. */
  params: { name: string; value: string }[]
  /** The JSON Schema of the params. */
  schema?: object
  /** Why there is no schema although the definition names one. */
  problem?: string
}

// D1271: the schema of params is read for those who may run, and nothing is evaluated for it
/** @param params of the definition, or of a run @param plan absent: the definition has problems @param reads the schema may be read */
export async function paramForm(
  params: readonly (Param | RunParam)[],
  plan: Pick<Plan, 'paramSchema' | 'workingDir' | 'sourceDir'> | undefined,
  { clock, reads }: { clock: Clock; reads: boolean }
): Promise<ParamForm> {
  const form: ParamForm = { params: params.map(({ name, value }) => ({ name, value })) }
  if (plan?.paramSchema === undefined) return form
  if (!reads) return { ...form, problem: 'the schema is read for those only who may run' }
  try {
    return { ...form, schema: await schemaOf(plan.paramSchema, plan, clock) }
  } catch (error) {
    return { ...form, problem: messageOf(error) }
  }
}

async function schemaOf(
  written: string,
  { workingDir, sourceDir }: Pick<Plan, 'workingDir' | 'sourceDir'>,
  clock: Clock
): Promise<object> {
  if (isEvaluated(written + (workingDir ?? '')))
    throw new Error('where the schema is is known at the start of a run only')
  const folder = workingDir === undefined ? undefined : resolve(sourceDir ?? '/', atHome(workingDir))
  const text = await (isRemote(written) ? remoteSchema(written, clock) : localSchema(written, [folder, sourceDir]))
  const schema: unknown = readJson(text)
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return schema
  throw new Error('the schema is no JSON object')
}

/** The parser's message would show content of the file. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('the schema is no valid JSON')
  }
}
