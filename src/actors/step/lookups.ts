/** Lookups for expanding the texts of a step: variables, backticks, references to steps. Source: execution-semantics 3.3, 3.4. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { EnvEntry, Step } from '../../../machines/vocabulary.ts'
import { readerOfText } from '../../definition/shell/shell.ts'
import { isFoundByShell } from '../../definition/shell/shell-values.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import { expandField, noting } from '../../definition/text/variables.ts'
import type { CommandRules } from '../../executors/limits/step-policy.ts'
import type { Secrets } from '../../masking/secrets.ts'
import type { Abandoned } from '../pace/disk-space.ts'
import type { StepServices } from '../root/step-services.ts'
import { nodeFiles } from '../run/log-names.ts'
import { substitution } from '../run/run-environment.ts'
import { isApart, type RunScope, type StepVariables, stepReference, variablesOf } from '../run/run-scope.ts'
import { traceVariables } from '../run/trace.ts'
import { fittingEnvironment } from './fitting-environment.ts'

/** What one execution of a step sees. */
export interface StepView {
  variables: StepVariables
  /** Every variable of execution-semantics 3.4, for fields that no shell reads. */
  all: Lookup
  /** Only what is inserted into commands and scripts: the shell sees the rest as environment. */
  text: Lookup
}

// D710, D754: each warning of a node is logged once
/** @param abandoned its signal kills backtick commands; it is only created for one */
export async function viewOf(
  services: StepServices,
  scope: RunScope,
  { place, runStatus, over, answers }: AttemptInput,
  step: Step,
  abandoned: Abandoned
): Promise<StepView> {
  const { stdout, stderr } = nodeFiles(scope.nodeLogs, step.name)
  const special = {
    DAG_NAME: scope.key.name,
    DAG_RUN_ID: scope.key.dagRunId,
    DAG_RUN_LOG_FILE: scope.runLog,
    DAG_RUN_STEP_NAME: step.name,
    DAG_RUN_STEP_STDOUT_FILE: stdout,
    DAG_RUN_STEP_STDERR_FILE: stderr,
    PWD: scope.workingDir,
    ...traceVariables(scope, typeof place === 'number' ? step.name : undefined),
    ...(scope.fence === undefined ? {} : { ENGINE_FENCE: `${scope.fence}` }),
    ...(runStatus === undefined ? {} : { DAG_RUN_STATUS: runStatus })
  }
  const warn = (message: string) => {
    const mark = `${place} ${message}`
    if (scope.warned.has(mark)) return
    scope.warned.add(mark)
    services.logs.write(scope.runLog, 'WARN', message, { step: step.name })
  }
  const variables = variablesOf(scope, place, special, over)
  const { data } = variables
  const rules = services.commands?.(scope.plan)
  const asText = scope.plan.shellExpansion === 'text'
  const look = (values: Record<string, string>): Lookup => ({
    variable: (name) => values[name],
    step(id) {
      if (isApart(scope, place, id)) warn(`the step with the id ${id} is referred to, and is no predecessor`)
      return stepReference(scope, id)
    },
    substitute: (command) =>
      substitute(services, command, scope.workingDir, variables.all, abandoned.signal, scope.secrets, warn, rules),
    substitutesBy: readerOfText(services.defaultShell),
    isData: (name) => data.has(name),
    isExported: isFoundByShell,
    asText,
    ...(scope.secrets.none ? {} : { isSecret: scope.secrets.hidesIn }),
    warn
  })
  const whole = (name: string) => variables.all[name]
  const view = { variables, all: look(variables.all), text: { whole, ...look(variables.run) } }
  await overlay(step.env, view)
  for (const [name, value] of Object.entries(answers?.env ?? {})) {
    variables.run[name] = value
    variables.all[name] = value
    data.add(name)
  }
  return view
}

/** Rank 1: the step's own `env`; each entry sees the ones before it. */
async function overlay(entries: EnvEntry[], { variables, all }: StepView): Promise<void> {
  for (const { key, value } of entries) {
    const { look, wasData } = noting(value, all)
    const expanded = await expandField(value, look)
    variables.run[key] = expanded
    variables.all[key] = expanded
    if (wasData()) variables.data.add(key)
    else variables.data.delete(key)
  }
}

/** A lookup without backticks, for scripts, directories and conditions that run as commands. */
export const withoutBackticks = ({ substitute: _, ...look }: Lookup): Lookup => look

/** A backtick command at run time: with the variables of its step, by the default shell. */
export async function substitute(
  services: StepServices,
  command: string,
  cwd: string,
  env: Record<string, string>,
  signal: AbortSignal,
  secrets: Secrets,
  warn?: Lookup['warn'],
  { refused, account, limits }: CommandRules = {}
): Promise<string> {
  if (refused !== undefined) throw new Error(`the command "${command}" is not executed: ${refused}`)
  const { exitCode, cause, stdout, stderr } = await services.capture({
    argv: substitution(services.defaultShell, command),
    cwd,
    env: fittingEnvironment(env, warn),
    account,
    limits,
    signal,
    secrets
  })
  if (exitCode === 0) return stdout.trim()
  throw new Error(`failed to execute command "${command}": ${cause}${stderr.trim() && `\n${stderr.trim()}`}`)
}
