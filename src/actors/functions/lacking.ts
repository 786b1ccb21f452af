/** The code of the host application that this engine lacks for a node: its own, or that of another step for which the run waits. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { MissingCode } from '../../../machines/vocabulary.ts'
import type { StepServices } from '../root/step-services.ts'
import { stepAt } from '../run/run-scope.ts'

/** What a step cannot be prepared without. */
export class LackingCode extends Error {
  override readonly name = 'LackingCode'
  readonly code: MissingCode
  constructor(code: MissingCode) {
    super(code.refused ?? `the ${code.kind} "${code.name}" is not registered with this engine`)
    this.code = code
  }
}

// D1050: a run waits as a whole for code that an engine lacks
/** A handler waits for its own code alone: all steps have ended, maybe by a stop in this engine. */
export function missingAt(services: StepServices, { run, place }: Pick<AttemptInput, 'run' | 'place'>) {
  const { plan } = services.scope(run)
  return services.missing(stepAt(plan, place)) ?? (typeof place === 'number' ? services.missingIn(plan) : undefined)
}

/** What of the configuration keeps a step from beginning. What has begun goes on. */
export function refusedAt(services: StepServices, { run, place }: Pick<AttemptInput, 'run' | 'place'>) {
  const { plan } = services.scope(run)
  return services.refused?.(plan, stepAt(plan, place))
}

/** @throws LackingCode */
export function mustHaveCode(services: StepServices, input: Pick<AttemptInput, 'run' | 'place'>): void {
  const code = missingAt(services, input) ?? refusedAt(services, input)
  if (code) throw new LackingCode(code)
}
