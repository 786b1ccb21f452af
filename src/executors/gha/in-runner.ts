/** Node and composite actions: their processes in order, and what follows from their exit codes. Source: execution-semantics 10.9.4. */
import { posix } from 'node:path'
import { type CompositeRuns, type NodeRuns, shellWords } from './action.ts'
import { filledIn, holds, type Standing } from './expression.ts'
import { TEMP, WORKSPACE } from './places.ts'
import type { Runner } from './runner.ts'
import type { Session } from './session.ts'

export interface InRunner {
  runner: Runner
  session: Session
  /** Folder of `action.yml` inside the container. */
  actionPath: string
  /** Prints what begins. */
  say(message: string): Promise<void>
}

/** Resolves with the exit code of the first process that failed, or 0. */
export async function runNode(
  { main, pre, post, preIf, postIf }: NodeRuns,
  { runner, session, actionPath, say }: InRunner
): Promise<number> {
  let standing: Standing = 'success'
  let failed = 0
  const phase = async (name: string, script: string | undefined, condition: string) => {
    if (script === undefined || !holds(condition, session.context(), standing)) return
    await say(`${name}: node ${script}`)
    const { code, commands } = await runner.run({
      words: ['node', posix.join(actionPath, script)],
      env: session.environment(session.state()),
      workingDir: WORKSPACE
    })
    session.take(commands)
    if (code === 0) return
    standing = 'failure'
    failed ||= code
  }
  await phase('pre', pre, preIf)
  await phase('main', main, 'success()')
  await phase('post', post, postIf)
  return failed
}

/** Resolves with the exit code of the first step that failed, or 0. */
export async function runComposite(
  { steps }: CompositeRuns,
  outputs: ReadonlyMap<string, string>,
  { runner, session, say }: InRunner
): Promise<number> {
  let standing: Standing = 'success'
  let failed = 0
  for (const [
    index,
    { id, name, run, shell, env, workingDirectory = '.', condition, continueOnError }
  ] of steps.entries()) {
    if (!holds(condition, session.context(), standing)) {
      await say(`${name}: skipped`)
      continue
    }
    await say(name)
    const own: Record<string, string> = {}
    for (const [key, value] of env) own[key] = filledIn(value, session.context(own), standing)
    const context = session.context(own)
    const script = `${TEMP}/step-${index}${shell === 'python' ? '.py' : shell === 'pwsh' ? '.ps1' : '.sh'}`
    const { code, commands } = await runner.run({
      words: (shellWords(shell) ?? []).map((word) => word.replace('{0}', script)),
      env: session.environment(own),
      workingDir: posix.resolve(WORKSPACE, filledIn(workingDirectory, context, standing)),
      texts: new Map([[script, filledIn(run, context, standing)]])
    })
    session.take(commands, { id: id ?? `__step_${index}`, outcome: code === 0 ? 'success' : 'failure' })
    if (code === 0 || filledIn(continueOnError, context, standing) === 'true') continue
    standing = 'failure'
    failed ||= code
  }
  for (const [name, value] of outputs) session.outputs.set(name, filledIn(value, session.context(), standing))
  return failed
}
