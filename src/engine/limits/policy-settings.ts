/** Settings that hold steps, and names of executors there that are unknown here. Source: docs/operating/limits.md "Executors". */
import type { Config } from '../../config.ts'
import { executorNames, executorType } from '../../definition/fields/executor-types.ts'
import { stepPolicyOf } from '../../executors/limits/open-policy.ts'
import type { StepPolicy } from '../../executors/limits/step-policy.ts'
import { didYouMean } from '../../nearest.ts'

/** Undefined: to nothing. @throws TroupeError bad_request naming the setting that this machine cannot keep */
export const policyOf = (config: Config): StepPolicy | undefined => stepPolicyOf(config)

/** Sentences about types that neither Troupe nor this program has: a mistake, or those of another application on this home. */
export function unknownTypes({ allowedTypes }: Pick<Config, 'allowedTypes'>, custom: readonly string[]): string[] {
  if (!allowedTypes) return []
  const { allow = [], rules } = allowedTypes
  const known = [...executorNames, ...custom]
  return [{ where: 'executors.allow', allow }, ...rules].flatMap(({ where, allow }) =>
    allow
      .filter((name) => executorType(name) === undefined && !custom.includes(name))
      .map((name) => `${where}: no executor here is called ${JSON.stringify(name)}${didYouMean(name, known)}`)
  )
}
