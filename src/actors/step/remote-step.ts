/**
 * What a step on another machine gets: its texts with every variable expanded, and its own `env`. Secrets are not inserted into the
 * command, which others could read there: they stay references, and their variables are sent along.
 * Source: execution-semantics 10 "Common", 10.3.5-10.3.7, 14.4.
 */
import type { SshTarget, Step } from '../../../machines/vocabulary.ts'
import { expandDeep } from '../../definition/text/expand-deep.ts'
import { type Lookup, secretInText } from '../../definition/text/lookup.ts'
import { expandCommand, expandField, expandRawText, expandShellText } from '../../definition/text/variables.ts'
import type { Execution } from '../../executors/executor.ts'
import type { StepServices } from '../root/step-services.ts'
import type { RunScope } from '../run/run-scope.ts'
import { fittingEnvironment } from './fitting-environment.ts'
import { type StepView, withoutBackticks } from './lookups.ts'
import { stepTarget } from './ssh-target.ts'

// D621, D622: only the step's own `env` is exported on the other machine
/** @param readBySh whether the script uses the quotes of a POSIX-like shell */
export async function remoteStep(
  services: StepServices,
  scope: RunScope,
  step: Step,
  { all, variables }: StepView,
  readBySh: boolean
): Promise<Pick<Execution, 'command' | 'argv' | 'args' | 'script' | 'ssh' | 'remoteEnv'>> {
  const ssh = stepTarget(await expandDeep(step.executor.config, all), scope.ssh, scope.workingDir)
  if (!ssh.strictHostKey) warnOnce(services, scope, ssh)
  const word = async (written: string) => {
    const expanded = await expandField(written, all)
    if (all.isSecret?.(expanded)) throw secretInText(written)
    return expanded
  }
  const texts: Pick<Execution, 'command' | 'argv' | 'args' | 'script'> = {
    args: await Promise.all(step.args.map(word))
  }
  const remoteEnv: Record<string, string> = {}
  if (step.argv !== undefined) texts.argv = await Promise.all(step.argv.map(word))
  if (step.command !== undefined) {
    const { text, left } = await commandText(step.command, all)
    texts.command = text
    Object.assign(remoteEnv, left)
  }
  if (step.script !== undefined) {
    const { isSecret: _, ...look } = withoutBackticks(all) // it is piped into a shell, where others cannot read it
    texts.script = await (readBySh ? expandShellText(step.script, look, 'away') : expandRawText(step.script, look))
  }
  for (const { key } of step.env) remoteEnv[key] = variables.all[key] ?? ''
  return { ...texts, ssh, remoteEnv: fittingEnvironment(remoteEnv, all.warn) }
}

/** A command, and the secrets that it still references. */
async function commandText(command: string, all: Lookup): Promise<{ text: string; left: Record<string, string> }> {
  if (!all.isSecret) return { text: await expandCommand(command, all, 'away'), left: {} }
  const seen = new Map<string, string>()
  const noted: Lookup = {
    ...all,
    variable(name) {
      const value = all.variable(name)
      if (value !== undefined && all.isSecret?.(value)) seen.set(name, value)
      return value
    }
  }
  const text = await expandCommand(command, noted, 'away')
  const left: Record<string, string> = {}
  for (const [name, value] of seen) {
    if (!new RegExp(`\\$\\{?#?${name}(?!\\w)`).test(text)) continue
    if (!/^[A-Za-z_]/.test(name)) throw secretInText(`$${name}`) // no shell allows such a variable name
    left[name] = value
  }
  return { text, left }
}

/** Source: 10.3.3. */
function warnOnce({ logs }: StepServices, { warned, runLog }: RunScope, { host }: SshTarget): void {
  const mark = 'ssh strictHostKey'
  if (warned.has(mark)) return
  warned.add(mark)
  logs.write(runLog, 'WARN', 'strictHostKey is false: any machine that answers is taken for the right one', { host })
}
