/** What executors need of a run beside the texts of their step, one function for each need. Source: execution-semantics 3.3, 10.9. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { Step } from '../../../machines/vocabulary.ts'
import { expandParam } from '../../definition/dag/params.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import { expandField } from '../../definition/text/variables.ts'
import type { Execution, Need } from '../../executors/executor.ts'
import type { StepServices } from '../root/step-services.ts'
import { containerFor } from '../run/run-container.ts'
import type { RunScope } from '../run/run-scope.ts'
import { fittingEnvironment } from './fitting-environment.ts'
import type { StepView } from './lookups.ts'

/** The execution whose needs are asked for. */
interface Asked {
  services: StepServices
  input: AttemptInput
  scope: RunScope
  step: Step
  view: StepView
}

/** The members of its execution for these needs. @throws Error when one of its texts cannot be evaluated */
export async function neededBy(needs: readonly Need[], asked: Asked): Promise<Partial<Execution>> {
  const passed: Partial<Execution> = {}
  for (const need of needs) Object.assign(passed, await PROVIDE[need](asked))
  return passed
}

const PROVIDE: Record<Need, (asked: Asked) => Promise<Partial<Execution>>> = {
  container: async ({ services, input, scope, step, view }) => ({
    container: await containerFor(services, scope, input, step, view.all)
  }),
  inputs: inputsOf,
  smtp: smtpOf
}

/** Values passed to an action: its inputs, and the variables that are not the server's. Source: execution-semantics 10.9.1, 10.9.3. */
async function inputsOf({
  scope: { env, secrets },
  step: { params = [] },
  view: {
    all: { isSecret: _, ...all }, // the Docker API, not a command line, takes them there
    variables
  }
}: Asked): Promise<Pick<Execution, 'inputs' | 'remoteEnv'>> {
  const inputs = params.map(async (param) => [param.name, await expandParam(param, all)] as const)
  const { PWD: _dir, ...run } = variables.run
  const remoteEnv = fittingEnvironment({ ...env, ...secrets.values, ...run }, all.warn)
  return { inputs: Object.fromEntries(await Promise.all(inputs)), remoteEnv }
}

/** The server's whole environment may hold a mail password; that of a step does not. Source: execution-semantics 3.3. */
async function smtpOf({
  services: { environment },
  scope: {
    plan: { smtp }
  },
  view: { all }
}: Asked): Promise<Pick<Execution, 'smtp'>> {
  if (!smtp) return {}
  const look: Lookup = { ...all, variable: (name) => all.variable(name) ?? environment[name] }
  const [host, port, username, password] = await Promise.all([
    expandField(smtp.host, look),
    expandField(smtp.port, look),
    expandField(smtp.username, look),
    expandField(smtp.password, look)
  ])
  return { smtp: { host, port, username, password } }
}
