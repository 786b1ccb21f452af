/** Variables for `smtp`, `errorMail`, `infoMail` and `otel`: those of the run and of the server. Source: execution-semantics 3.3, 3.4. */
import type { Plan, RunKey, RunParam } from '../../../machines/vocabulary.ts'
import { dataParams } from '../../definition/dag/params.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import { dataNames, type EnvironmentInput, loadLookup } from './run-environment.ts'

export interface RunVariables {
  key: RunKey
  plan: Plan
  params: RunParam[]
  /** dotenv over DAG `env`. */
  env: Record<string, string>
  /** Names in `env`, and of variables from a calling run, that are data. */
  dataEnv: ReadonlySet<string>
  secrets: { values: Readonly<Record<string, string>> }
  workingDir: string
  runLog: string
}

// D609: `smtp` is expanded when a mail step runs
/** @param special further variables, such as `DAG_RUN_STATUS` */
export function runLookup(
  { key, plan, params, env, dataEnv, secrets, workingDir, runLog }: RunVariables,
  context: EnvironmentInput,
  special: Record<string, string> = {}
): Lookup {
  const names = { DAG_NAME: key.name, DAG_RUN_ID: key.dagRunId, DAG_RUN_LOG_FILE: runLog, PWD: workingDir, ...special }
  const paramValues = Object.fromEntries(params.map(({ name, value }) => [name, value]))
  const values: Record<string, string> = Object.assign(Object.create(null), env, secrets.values, names, paramValues)
  const data = dataNames(plan, [...dataEnv, ...Object.keys(secrets.values), ...dataParams(params, plan.params)])
  return loadLookup(values, data, context)
}
