/** Evaluates the DAG's preconditions, in its environment and directory. Source: execution-semantics 5.6. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import type { StepServices } from '../root/step-services.ts'
import { type Checked, checkConditions } from '../step/conditions.ts'
import { substitute } from '../step/lookups.ts'

/** @param signal kills what a condition executes */
export async function checkRunConditions(services: StepServices, key: RunKey, signal: AbortSignal): Promise<Checked> {
  const { plan, params, env: dagEnv, base, workingDir, shell, secrets, runLog, warned } = services.scope(key)
  const values: Record<string, string> = Object.fromEntries(params.map(({ name, value }) => [name, value]))
  const env: Record<string, string> = {
    ...base,
    ...dagEnv,
    ...values,
    DAG_NAME: key.name,
    DAG_RUN_ID: key.dagRunId,
    PWD: workingDir
  }
  const warn = (message: string) => {
    if (!warned.has(message)) services.logs.write(runLog, 'WARN', message)
    warned.add(message)
  }
  const commands = services.commands?.(plan)
  const look = (names: Record<string, string>): Lookup => ({
    variable: (name) => names[name],
    ...(secrets.none ? {} : { isSecret: secrets.hidesIn }),
    substitute: (command) => substitute(services, command, workingDir, env, signal, secrets, warn, commands),
    warn
  })
  const shells = { ...(shell ? { dag: shell } : {}), fallback: services.defaultShell }
  const context = {
    all: look(env),
    text: look(values),
    env,
    workingDir,
    shells,
    maxLine: plan.maxOutputSize,
    signal,
    secrets,
    commands
  }
  return checkConditions(services, plan.preconditions, context)
}
