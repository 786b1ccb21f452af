/** From a step to the input of its executor: every text expanded, folders made. Source: execution-semantics 3.3, 4. */
import { constants, existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { AttemptInput } from '../../../machines/node.ts'
import type { Step } from '../../../machines/vocabulary.ts'
import { takesPackages } from '../../definition/shell/shell.ts'
import { expandField, noting } from '../../definition/text/variables.ts'
import { messageOf } from '../../errors.ts'
import type { Execution } from '../../executors/executor.ts'
import type { Secrets } from '../../masking/secrets.ts'
import { type Account, doneAs } from '../../platform/account.ts'
import { atHome } from '../../platform/at-home.ts'
import { makeFolder, makeWorkingFolder, reasonOf } from '../../platform/make-folder.ts'
import { bothLog } from '../../store/files/logs.ts'
import type { Abandoned } from '../pace/disk-space.ts'
import type { StepServices } from '../root/step-services.ts'
import { folderFor } from '../run/folder-for.ts'
import { nodeFiles } from '../run/log-names.ts'
import { isInside } from '../run/run-container.ts'
import { type RunScope, stepAt } from '../run/run-scope.ts'
import { fittingEnvironment } from './fitting-environment.ts'
import { type StepView, viewOf, withoutBackticks } from './lookups.ts'
import { neededBy } from './step-needs.ts'
import { expandWord, textsFor } from './step-texts.ts'

/** @throws Error with the reason when a variable cannot be evaluated or the folder cannot be made */
export async function surroundingsOf(
  services: StepServices,
  input: AttemptInput,
  abandoned: Abandoned
): Promise<{ scope: RunScope; step: Step; view: StepView; workingDir: string; shells: Execution['shells'] }> {
  const scope = services.scope(input.run)
  const step = stepAt(scope.plan, input.place)
  const view = await viewOf(services, scope, input, step, abandoned)
  const workingDir = await workingDirOf(services, scope, step, view)
  view.variables.all.PWD = workingDir
  view.variables.run.PWD = workingDir
  const shells = {
    ...(step.shell
      ? { step: await Promise.all(step.shell.map((word) => expandWord(word, withoutBackticks(view.all)))) }
      : {}),
    ...(scope.shell ? { dag: scope.shell } : {}),
    fallback: services.defaultShell
  }
  return { scope, step, view, workingDir, shells }
}

/** @throws Error with the reason when a text cannot be evaluated, a folder cannot be made or a copy cannot be written */
export async function prepareStep(
  services: StepServices,
  input: AttemptInput,
  abandoned: Abandoned
): Promise<Execution> {
  const { scope, step, view, workingDir, shells } = await surroundingsOf(services, input, abandoned)
  const { stdout, stderr, state } = nodeFiles(scope.nodeLogs, step.name)
  const { account, limits } = services.commands?.(scope.plan) ?? {}
  const copies = await copiesOf(services, step, view, workingDir, stdout, account)
  if (step.shellPackages.length > 0 && !takesPackages(shells))
    view.text.warn?.('shellPackages has no effect: the shell of the step is not nix-shell')
  const executor = services.executorFor(step)
  return {
    step,
    ...(await textsFor(executor, services, scope, step, view)),
    ...(executor.needs ? await neededBy(executor.needs, { services, input, scope, step, view }) : {}),
    shells,
    workingDir,
    env: fittingEnvironment(view.variables.all, view.text.warn),
    stdout,
    stderr,
    ...maskingOf(step, scope.secrets),
    ...(copies ? { copies } : {}),
    ...(account ? { account } : {}),
    ...(limits ? { limits } : {}),
    state: state(input.attempt)
  }
}

/** How the output of a step is masked; nothing where there is nothing to mask. */
export const maskingOf = (step: Step, secrets: Secrets): Pick<Execution, 'masking'> =>
  secrets.none ? {} : { masking: { secrets, marks: step.output !== undefined } }

/** A relative directory is one of the DAG's working directory; a missing one is made. In the run's container nothing is. */
async function workingDirOf(services: StepServices, scope: RunScope, step: Step, view: StepView): Promise<string> {
  const { account } = services.commands?.(scope.plan) ?? {}
  const { makeFolder = makeWorkingFolder } = services
  const make = (dir: string) =>
    folderFor(dir, dir === scope.workingDir && scope.hasOwnDir === true, account, makeFolder)
  if (step.dir === undefined || isInside(scope.plan, step)) {
    if (scope.hasOwnDir && (services.makeFolder || !existsSync(scope.workingDir))) await make(scope.workingDir)
    return scope.workingDir
  }
  const { look, wasData } = noting(step.dir, withoutBackticks(view.all))
  const dir = resolve(scope.workingDir, atHome(await expandField(step.dir, look), account?.home))
  if (wasData()) view.variables.data.add('PWD')
  await make(dir).catch((cause: Error) => {
    throw new Error(`the working directory ${cause.message}`, { cause })
  })
  return dir
}

/** A step must not wait for a file that nobody can open: FIFOs, devices and the like are refused. */
async function writableAs(account: Account, stream: string, path: string): Promise<void> {
  const program =
    'mkdir -p -- "$1" && { test ! -e "$2" || test -f "$2" || { echo "it is no file" >&2; exit 1; }; } && : >>"$2"'
  await doneAs(account, ['sh', '-c', program, 'sh', dirname(path), path]).catch((cause: Error) => {
    throw new Error(`${stream} cannot be copied to ${path} by ${account.name}: ${cause.message}`, { cause })
  })
}

/** Without a wait for the reader of a FIFO. */
const WRITABLE = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK

/** Paths of the files that get a copy of a log; their folders are made. @param account who writes them; absent: the engine */
export async function copiesOf(
  { makeFolder: isElsewhere }: Pick<StepServices, 'makeFolder'>,
  step: Step,
  { all }: StepView,
  workingDir: string,
  log: string,
  account?: Account
): Promise<Execution['copies']> {
  if (isElsewhere) return undefined // nothing of the user is touched
  const copies: NonNullable<Execution['copies']> = {}
  for (const stream of ['stdout', 'stderr'] as const) {
    const written = step[stream]
    if (written === undefined) continue
    const path = resolve(workingDir, atHome(await expandField(written, all), account?.home))
    if (account) {
      await writableAs(account, stream, path)
      copies[stream] = path
      continue
    }
    try {
      await makeFolder(dirname(path))
    } catch (cause) {
      throw new Error(`${stream} cannot be copied to ${path}: ${messageOf(cause)}`, { cause })
    }
    try {
      await (await open(path, WRITABLE, 0o600)).close() // a step must not wait for a file that nobody can open
    } catch (cause) {
      throw new Error(`${stream} cannot be copied to ${path}: ${reasonOf(cause)}`, { cause })
    }
    copies[stream] = path
  }
  if (copies.stdout && copies.stdout === copies.stderr) copies.both = bothLog(log)
  return copies.stdout || copies.stderr ? copies : undefined
}
