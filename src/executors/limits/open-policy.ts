/** The settings `executors.*` and `steps.*` as what begins steps asks for them. Source: docs/operating/limits.md. */
import type { Plan, Step } from '../../../machines/vocabulary.ts'
import { type AllowedTypes, allowedIn, commandRefusal, refusalOf } from '../../definition/steps/allowed-types.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { type Account, findAccount, variablesOf } from '../../platform/account.ts'
import { allowedEnvironment } from '../../platform/allowed-environment.ts'
import { fitsAny } from '../../platform/globs.ts'
import type { StepLimits } from './step-limits.ts'
import type { CommandRules, StepPolicy } from './step-policy.ts'

export interface PolicySettings {
  allowedTypes?: AllowedTypes
  stepRules?: StepRules
  /** The environment of the engine: its PATH has what changes the user. */
  environment: Readonly<Record<string, string>>
}

/** The users whom steps run as, and how much each may use, by group; the first rule that says it counts. */
interface StepRules {
  runAs?: string
  limits?: StepLimits
  rules: readonly { groups: readonly string[]; runAs?: string; limits?: StepLimits; where: string }[]
}

/** Types of steps that do nothing to the machine with the rights of the engine. */
const HARMLESS: ReadonlySet<string> = new Set(['shell', 'http', 'jq', 'dag', 'signal', 'approval', 'sleep'])
const NONE: AllowedTypes = { rules: [] }

// D1472, D1477: an executor that is not allowed is a problem of the definition, and fails a step that comes later
/** Undefined: nothing holds them. @throws TroupeError bad_request naming the setting that this machine cannot keep */
export function stepPolicyOf({ allowedTypes, stepRules, environment }: PolicySettings): StepPolicy | undefined {
  if (!allowedTypes && !stepRules) return undefined
  const { accounts, accountOf } = accountsOf(stepRules, environment.PATH ?? '')
  const allowed = allowedTypes ?? NONE
  const shown = allowedEnvironment(environment)

  /** Variables that a run has inherited from its caller stay. */
  const seenBy = (account: Account) => (all: Readonly<Record<string, string>>) => ({
    ...Object.fromEntries(Object.entries(all).filter(([name, value]) => name in shown || environment[name] !== value)),
    ...variablesOf(account)
  })

  const limitsOf = (group: string) =>
    stepRules?.rules.find(({ groups, limits }) => limits && fitsAny(groups, group))?.limits ?? stepRules?.limits

  /** A step whose work the engine does itself would do it with the engine's rights. */
  function unlike(group: string, type: string): string | undefined {
    const { account, where } = accountOf(group)
    const isNamed = allowedIn(allowed, group)?.types.includes(type)
    if (!account || HARMLESS.has(type) || isNamed) return undefined
    return `the executor ${type} works with the rights of the engine, and ${where} has steps run as ${account.name}: executors.allow may name it`
  }

  return {
    accounts,
    refused({ group }, { name: step, executor: { type } }) {
      const refused = refusalOf(allowed, group, type) ?? unlike(group, type)
      return refused === undefined ? undefined : { kind: 'executor', name: type, step, refused }
    },
    commands({ group }): CommandRules | undefined {
      const refused = commandRefusal(allowed, group)
      const { account } = accountOf(group)
      const limits = limitsOf(group)
      if (refused === undefined && !account && !limits) return undefined
      return {
        ...(refused === undefined ? {} : { refused }),
        ...(limits ? { limits } : {}),
        ...(account ? { account, seen: seenBy(account) } : {})
      }
    },
    refusedIn({ group, logDir }) {
      const { account, where } = accountOf(group)
      if (!account || logDir === undefined) return undefined
      return `field 'logDir': logs are written by the engine, and ${where} has steps run as ${account.name}: leave it out`
    }
  }
}

/** The users whom steps of a group run as, and which setting says so. */
function accountsOf(rules: StepRules | undefined, searched: string) {
  const problems: string[] = []
  const found = new Map<string, Account | undefined>()
  const named = [{ where: 'steps.runAs', runAs: rules?.runAs }, ...(rules?.rules ?? []).map(ofRule)]
  for (const { where, runAs } of named) {
    if (runAs === undefined || found.has(runAs)) continue
    try {
      found.set(runAs, findAccount(runAs, searched))
    } catch (error) {
      problems.push(`${where}: ${JSON.stringify(runAs)}: ${messageOf(error)}`)
    }
  }
  const [first] = named.filter(({ runAs }) => runAs !== undefined)
  if (first && process.getuid?.() !== 0)
    problems.push(
      `${first.where}: only an engine that is root can run steps as somebody else: leave it out, or start it as root`
    )
  if (problems.length > 0) throw new TroupeError('bad_request', problems.join('; '), { details: { errors: problems } })
  const accountOf = (group: string): { account?: Account; where: string } => {
    const rule = rules?.rules.find(({ groups, runAs }) => runAs !== undefined && fitsAny(groups, group))
    const where = rule ? `${rule.where}.runAs` : 'steps.runAs'
    const account = found.get(rule?.runAs ?? rules?.runAs ?? '')
    return account ? { account, where } : { where }
  }
  return { accounts: [...found.values()].filter((account) => account !== undefined), accountOf }
}

const ofRule = ({ where, runAs }: { where: string; runAs?: string }) => ({ where: `${where}.runAs`, runAs })

/** Refuses a run some of whose steps could not begin. @throws TroupeError bad_request naming them */
export function refuseForbidden(plan: Plan, policy: StepPolicy | undefined): void {
  const refusals = policy ? plansIn(plan).flatMap((one) => refusalsIn(one, policy)) : []
  if (refusals.length > 0) throw new TroupeError('bad_request', refusals.join('; '), { details: { errors: refusals } })
}

const plansIn = (plan: Plan): Plan[] => [plan, ...plan.locals.flatMap(plansIn)]

const refusalsIn = (plan: Plan, policy: StepPolicy): string[] => [
  ...[policy.refusedIn(plan)].filter((one) => one !== undefined),
  ...[...plan.steps, ...Object.values(plan.handlers)].flatMap((step: Step) => {
    const { refused } = policy.refused(plan, step) ?? {}
    return refused === undefined ? [] : [`step "${step.name}": ${refused}`]
  })
]
