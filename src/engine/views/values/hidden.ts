/** What no answer may show of the values of a run: secrets, and what only files and the environment of the server say. */
import type { Plan, RunRecord, Secret } from '../../../../machines/vocabulary.ts'
import { dotenvOf, ownFolder } from '../../../actors/run/run-environment.ts'
import { resolveSecrets } from '../../../actors/run/secrets/resolve-secrets.ts'
import type { Config } from '../../../config.ts'
import { noSecrets, type Secrets, secretsOf } from '../../../masking/secrets.ts'
import { addEntries, type Budget, type Variables } from './variables.ts'

export interface Hidden {
  secrets: Secrets
  /** Names that a dotenv file sets now; its values are shown nowhere. */
  dotenv: ReadonlySet<string>
}

/** A command of the definition has been run for its run, and is not for those who look at it. */
const refused = () => Promise.reject(new Error('no command is run to show a value'))

/** Programs print some secrets, and the host application has others: they are not asked again. */
export const isRead = ({ provider }: Secret): boolean => provider === 'env' || provider === 'file'

// D1757: values are masked by what the secrets are now
/** @param budget of the texts that are expanded */
export async function hiddenIn(plan: Plan, record: RunRecord, config: Config, budget: Budget): Promise<Hidden> {
  // The files of a run on a worker are there.
  if (record.placement) return { secrets: noSecrets, dotenv: new Set() }
  const { environment, defaultShell, commands } = config
  const own = ownFolder(config.dataDir, record)
  const context = { environment, defaultShell, commands, backticks: refused }
  const { values: dotenv } = await dotenvOf(plan, own, context).catch(() => ({ values: {} }))
  const read = plan.secrets.filter(isRead)
  if (read.length === 0) return { secrets: noSecrets, dotenv: new Set(Object.keys(dotenv)) }
  const variables: Variables = new Map()
  const known = (name: string, value: string) => variables.set(name, { name, from: 'server', value })
  for (const [name, value] of Object.entries(environment)) known(name, value)
  for (const [name, value] of Object.entries(dotenv)) known(name, value)
  const names = new Set(Object.keys(dotenv))
  await addEntries(variables, plan.env, () => 'env', budget, names)
  const sources = {
    own: Object.fromEntries(Array.from(variables.values(), ({ name, value = '' }) => [name, value])),
    environment,
    workingDir: plan.home ?? plan.sourceDir ?? own,
    defaultShell,
    run: record,
    commands: commands?.(plan)
  }
  const values: Record<string, string> = Object.create(null)
  for (const secret of read) {
    const one = { secrets: [secret], ...(plan.sourceDir === undefined ? {} : { sourceDir: plan.sourceDir }) }
    // A secret that cannot be read has no value that could be shown.
    Object.assign(values, (await resolveSecrets(one, sources).catch(() => noSecrets)).values)
  }
  return { secrets: secretsOf(values), dotenv: names }
}
