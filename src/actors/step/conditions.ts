/** Evaluates preconditions: all of them, in order. Source: execution-semantics 5.6. */
import type { Condition, ConditionResult } from '../../../machines/vocabulary.ts'
import { asCode } from '../../definition/problem-text.ts'
import { tooLong } from '../../definition/shell/longest-text.ts'
import { invocation, readerOf } from '../../definition/shell/shell.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import { matchesExpected } from '../../definition/text/match.ts'
import { expandField, expandShellText } from '../../definition/text/variables.ts'
import { messageOf } from '../../errors.ts'
import type { CommandRules } from '../../executors/limits/step-policy.ts'
import type { Secrets } from '../../masking/secrets.ts'
import type { StepServices } from '../root/step-services.ts'
import { fittingEnvironment } from './fitting-environment.ts'
import { withoutBackticks } from './lookups.ts'

/** Where conditions are evaluated: the context of a step, or that of the DAG. */
export interface ConditionContext {
  all: Lookup
  text: Lookup
  env: Record<string, string>
  workingDir: string
  shells: { step?: string[]; dag?: string[]; fallback: string }
  /** Maximum length of a compared line, in bytes. */
  maxLine: number
  signal: AbortSignal
  secrets: Secrets
  /** What holds commands; absent: nothing. */
  commands?: CommandRules | undefined
}
export interface Checked {
  met: boolean
  conditions: ConditionResult[]
  /** The message of a condition that did not hold, for its node: the author's text, or why it could not be evaluated. */
  error?: string
}

export async function checkConditions(
  services: StepServices,
  conditions: Condition[],
  context: ConditionContext
): Promise<Checked> {
  const results: (ConditionCheck & { condition: Condition })[] = []
  for (const condition of conditions) results.push({ condition, ...(await check(services, condition, context)) })
  const met = results.every(({ matched }) => matched)
  const said = results.find(({ matched, condition, fault }) => !matched && (condition.error ?? fault))
  const { mask } = context.secrets
  return {
    met,
    conditions: results.map(({ matched, message, condition }) => ({
      matched,
      error: matched ? (met ? '' : 'other condition was not met') : mask(condition.error ?? message)
    })),
    ...(said ? { error: mask(said.condition.error ?? said.message) } : {})
  }
}

interface ConditionCheck {
  matched: boolean
  message: string
  /** The condition could not be evaluated; never inverted by `negate`. */
  fault?: boolean
}

async function check(services: StepServices, condition: Condition, context: ConditionContext): Promise<ConditionCheck> {
  try {
    const result = condition.expected
      ? await compare(condition, condition.expected, context)
      : await execute(services, condition, context)
    if (!condition.negate) return result
    return result.matched
      ? { matched: false, message: 'condition was not met: condition matched but negate is true' }
      : { matched: true, message: '' }
  } catch (error) {
    return { matched: false, fault: true, message: messageOf(error) }
  }
}

async function compare(
  { condition }: Condition,
  expected: string,
  { all, maxLine }: ConditionContext
): Promise<ConditionCheck> {
  const value = await expandField(condition, all)
  return matchesExpected(value, expected, maxLine)
    ? { matched: true, message: '' }
    : { matched: false, message: `condition was not met: expected "${expected}", got "${value}"` }
}

async function execute(
  services: StepServices,
  { condition }: Condition,
  { text, env, workingDir, shells, signal, secrets, commands: { refused, account, limits } = {} }: ConditionContext
): Promise<ConditionCheck> {
  if (refused !== undefined) throw new Error(`the condition ${asCode(condition)} is not executed: ${refused}`)
  const command = await expandShellText(condition, withoutBackticks(text), readerOf(shells))
  const { argv, script } = invocation({ command, args: [] }, shells)
  if (script !== undefined) throw tooLong(`the condition ${asCode(condition)}`, command)
  const { exitCode, cause } = await services.capture({
    argv,
    cwd: workingDir,
    env: fittingEnvironment(env, text.warn),
    silent: true,
    account,
    limits,
    signal,
    secrets
  })
  return exitCode === 0
    ? { matched: true, message: '' }
    : { matched: false, message: `condition was not met: ${cause}` }
}
