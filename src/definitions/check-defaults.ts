/** Checks the defaults of a definition against its params schema, without evaluating anything. Source: execution-semantics 2.1.7, 2.3.5. */
import { isAbsolute, resolve } from 'node:path'
import type { Clock } from '../clock.ts'
import { faultsText, invalidParams, unusable } from '../definition/dag/param-schema.ts'
import type { Definition } from '../definition/definition.ts'
import { isEvaluated } from '../definition/text/variables.ts'
import { messageOf } from '../errors.ts'
import { atHome } from '../platform/at-home.ts'
import { isRemote, localSchema } from './schema-source.ts'
import { fitParams } from './text-thread.ts'

/** Errors of the whole that no further param can fix. */
const SUPERFLUOUS = /^(additional|unevaluated)Properties$/

// D705: validation ignores what needs evaluation
/**
 * A definition with its defaults checked against its schema, when that is a file (2.3.5). Nothing is evaluated: what depends on a
 * start is skipped, and so are required params, which a start may supply.
 * @param looks whether files may be read. Otherwise different messages would reveal which files exist, so every path gets the same
 * one: that it was not checked
 */
export async function withCheckedDefaults(definition: Definition, clock: Clock, looks = true): Promise<Definition> {
  const { plan, problems, ...rest } = definition
  const schema = plan?.paramSchema
  if (!plan || schema === undefined || isRemote(schema) || isEvaluated(schema + (plan.workingDir ?? '')))
    return definition
  try {
    const { workingDir, sourceDir } = plan
    const relative = [schema, workingDir ?? '.'].every((path) => !isAbsolute(atHome(path)))
    if (!sourceDir && relative) return definition // where the text will lie is not known
    if (!looks) throw unusable('no file is read for a caller without the permission write')
    const folder = workingDir && resolve(sourceDir ?? '/', atHome(workingDir))
    const { faults } = await fitParams(await localSchema(schema, [folder, sourceDir]), plan.params, clock)
    const open = new Set(plan.params.filter(({ value }) => isEvaluated(value)).map(({ name }) => `/${name}`))
    const known = faults.filter(({ path, keyword }) =>
      path === '/' ? SUPERFLUOUS.test(keyword) : !open.has(path.split('/', 2).join('/'))
    )
    if (known.length === 0) return definition
    throw invalidParams(faultsText(known))
  } catch (error) {
    return { ...rest, problems: [...problems, { message: messageOf(error), path: 'params' }] }
  }
}
