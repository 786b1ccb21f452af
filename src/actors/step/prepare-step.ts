/** From a step to what its executor is given: every text expanded, folders made. Source: execution-semantics 3.3, 4. */
import { constants, existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { AttemptInput } from '../../../machines/node.ts'
import type { Plan, Smtp, Step } from '../../../machines/vocabulary.ts'
import { expandParam } from '../../definition/dag/params.ts'
import { expandList } from '../../definition/shell/list-command.ts'
import {
  isShellLike,
  readerBy,
  readerOf,
  readerOfText,
  type ShellReader,
  takesPackages
} from '../../definition/shell/shell.ts'
import { splitWords } from '../../definition/shell/words.ts'
import { expandDeep, expandWords } from '../../definition/text/expand-deep.ts'
import { type Lookup, secretInText } from '../../definition/text/lookup.ts'
import {
  expandCommand,
  expandField,
  expandOwnText,
  expandRawText,
  expandShellText,
  noting
} from '../../definition/text/variables.ts'
import type { Execution, Executor } from '../../executors/executor.ts'
import type { Secrets } from '../../masking/secrets.ts'
import { atHome } from '../../platform/at-home.ts'
import { makeFolder, makeWorkingFolder, reasonOf } from '../../platform/make-folder.ts'
import { bothLog } from '../../store/files/logs.ts'
import type { Services } from '../root/services.ts'
import { nodeFiles } from '../run/log-names.ts'
import { containerFor, isInside } from '../run/run-container.ts'
import { type RunScope, stepAt } from '../run/run-scope.ts'
import { fittingEnvironment } from './fitting-environment.ts'
import { type StepView, viewOf, withoutBackticks } from './lookups.ts'
import { remoteStep } from './remote-step.ts'

/** Where a step runs and what it sees there. Its folder exists. */
export interface StepSurroundings {
  scope: RunScope
  step: Step
  view: StepView
  workingDir: string
  shells: Execution['shells']
}

/** @throws Error with the reason when a variable cannot be evaluated or the folder cannot be made */
export async function surroundingsOf(
  services: Services,
  input: AttemptInput,
  signal: AbortSignal
): Promise<StepSurroundings> {
  const scope = services.scope(input.run)
  const step = stepAt(scope.plan, input.place)
  const view = await viewOf(services, scope, input, step, signal)
  const workingDir = await workingDirOf(scope, step, view)
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
export async function prepareStep(services: Services, input: AttemptInput, signal: AbortSignal): Promise<Execution> {
  const { scope, step, view, workingDir, shells } = await surroundingsOf(services, input, signal)
  const { stdout, stderr, state } = nodeFiles(scope.nodeLogs, step.name)
  const copies = await copiesOf(step, view, workingDir, stdout)
  if (step.shellPackages.length > 0 && !takesPackages(shells))
    view.text.warn?.('shellPackages has no effect: the shell of the step is not nix-shell')
  const executor = services.executorFor(step)
  return {
    step,
    ...(await spokenTo(executor, services, scope, step, view)),
    ...(step.executor.type === 'mail' ? await smtpOf(scope.plan, services, view.all) : {}),
    ...(IN_CONTAINERS.has(step.executor.type)
      ? { container: await containerFor(services, scope, input, step, view.all) }
      : {}),
    ...(step.executor.type === 'gha' ? await actionOf(scope, step, view) : {}),
    shells,
    workingDir,
    env: fittingEnvironment(view.variables.all, view.text.warn),
    stdout,
    stderr,
    ...maskingOf(step, scope.secrets),
    ...(copies ? { copies } : {}),
    state: state(input.attempt)
  }
}

const IN_CONTAINERS: ReadonlySet<string> = new Set(['docker', 'gha'])

/** What an action is given: its inputs, and the variables that are not the server's. Source: execution-semantics 10.9.1, 10.9.3. */
async function actionOf(
  { env, secrets }: RunScope,
  { params = [] }: Step,
  { all: { isSecret: _, ...all }, variables }: StepView // the Docker API, not a command line, takes them there
): Promise<Pick<Execution, 'inputs' | 'remoteEnv'>> {
  const inputs = params.map(async (param) => [param.name, await expandParam(param, all)] as const)
  const { PWD: _dir, ...run } = variables.run
  const remoteEnv = fittingEnvironment({ ...env, ...secrets.values, ...run }, all.warn)
  return { inputs: Object.fromEntries(await Promise.all(inputs)), remoteEnv }
}

/** Its texts, its config and what else its executor asks for. */
async function spokenTo(
  { reads = 'shell', handsOnScripts }: Executor,
  services: Services,
  scope: RunScope,
  step: Step,
  view: StepView
): Promise<Pick<Execution, 'args'> & Partial<Execution>> {
  if (reads === 'shell') return textsOf(step, view, scope, services.defaultShell)
  // A remote shell is the step's own, never the DAG's.
  if (reads === 'remote') return remoteStep(services, scope, step, view, readBySh(step, step.shell))
  const inContainer: typeof expandRawText = (text, look) => expandShellText(text, look, 'away')
  const expandHandedOn = readBySh(step, undefined) ? inContainer : expandRawText
  const expandScript = handsOnScripts ? expandHandedOn : expandOwnText
  return {
    ...(await textsFor(reads, step, view.all, expandScript)),
    config: await expandDeep(step.executor.config, view.all)
  }
}
/** How the output of a step is masked; nothing where there is nothing to mask. */
export const maskingOf = (step: Step, secrets: Secrets): Pick<Execution, 'masking'> =>
  secrets.none ? {} : { masking: { secrets, marks: step.output !== undefined } }

/** A relative directory is one of the DAG's working directory; a missing one is made. In the run's container nothing is. */
async function workingDirOf(scope: RunScope, step: Step, view: StepView): Promise<string> {
  if (step.dir === undefined || isInside(scope.plan, step)) {
    if (scope.hasOwnDir && !existsSync(scope.workingDir)) await makeWorkingFolder(scope.workingDir)
    return scope.workingDir
  }
  const { look, wasData } = noting(step.dir, withoutBackticks(view.all))
  const dir = resolve(scope.workingDir, atHome(await expandField(step.dir, look)))
  if (wasData()) view.variables.data.add('PWD')
  await makeWorkingFolder(dir).catch((cause: Error) => {
    throw new Error(`the working directory ${cause.message}`, { cause })
  })
  return dir
}

async function textsOf(
  step: Step,
  { text, all }: StepView,
  { shell: ofDag }: RunScope,
  fallback: string
): Promise<Pick<Execution, 'command' | 'argv' | 'args' | 'script'>> {
  const texts: Pick<Execution, 'command' | 'argv' | 'args' | 'script'> = {
    // An argument is one word that the shell does not look into: it is expanded like a field.
    args: await Promise.all(step.args.map((word) => expandWord(word, all)))
  }
  const named = step.shell ?? ofDag
  // With a script, no shell reads the words.
  const reader = step.script === undefined ? readerOf({ fallback, ...(named ? { step: named } : {}) }) : 'other'
  if (step.command !== undefined) texts.command = await expandCommand(step.command, text, reader)
  else if (step.argv && step.script === undefined) texts.command = await expandList(step.argv, text, reader)
  else if (step.argv) texts.argv = await Promise.all(step.argv.map((word) => expandShellText(word, text, reader)))
  if (step.script !== undefined) {
    const look = withoutBackticks(text)
    const readBy = scriptReader(step, named, fallback)
    texts.script = await (readBySh(step, named)
      ? expandShellText(step.script, look, readBy)
      : expandRawText(step.script, look))
  }
  return texts
}

/** A word of a command line, which others can read. @throws Error for one that would hold a secret */
async function expandWord(word: string, look: Lookup): Promise<string> {
  const expanded = await expandField(word, look)
  if (look.isSecret?.(expanded)) throw secretInText(word)
  return expanded
}

/** Of executors that no shell works for: every variable is put into the text, and backticks are run in scripts too. */
async function textsFor(
  reads: 'words' | 'text',
  { command, argv, args, script }: Step,
  { isSecret: _, ...all }: Lookup, // nobody else can read what stays in this process
  expandScript: typeof expandOwnText
): Promise<Pick<Execution, 'command' | 'words' | 'args' | 'script'>> {
  const fields = (words: string[]) => Promise.all(words.map((word) => expandField(word, all)))
  const rest = await fields(args)
  const texts: Pick<Execution, 'command' | 'words' | 'args' | 'script'> = { args: rest }
  // A name that is not known may be a variable of the executor's own language.
  if (script !== undefined) texts.script = await expandScript(script, all)
  if (reads === 'words') texts.words = [...(argv ? await fields(argv) : await expandWords(command ?? '', all)), ...rest]
  else if (command !== undefined || argv) texts.command = await expandOwnText(command ?? argv?.join(' ') ?? '', all)
  return texts
}

/** The server's whole environment may hold a mail password; that of a step does not. Source: execution-semantics 3.3. */
async function smtpOf({ smtp }: Plan, { environment }: Services, all: Lookup): Promise<{ smtp?: Smtp }> {
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

/** Whether a script's quotes are those of a sh-like shell. @param named the shell that runs it, where one is named */
function readBySh(step: Step, named: string[] | undefined): boolean {
  const shebang = /^#!\s*(\S+)(?:\s+(\S+))?/.exec(step.script?.trimStart() ?? '')
  if (step.command !== undefined || step.argv !== undefined)
    return isShellLike((step.argv?.[0] ?? step.command ?? '').split(/\s/)[0] ?? '')
  if (named) return isShellLike(named[0] ?? '')
  if (!shebang) return true
  const [, program = '', argument = ''] = shebang
  return isShellLike(program.endsWith('/env') ? argument : program)
}

/** Who reads a script: the program before it, the shell that is named, the interpreter that it names itself, the default shell. */
function scriptReader({ command, argv, script }: Step, named: string[] | undefined, fallback: string): ShellReader {
  if (command !== undefined || argv) return readerBy(argv ?? splitWords(command ?? ''))
  if (named) return readerBy(named)
  const [, shebang] = /^#!(.*)/.exec(script?.trimStart() ?? '') ?? []
  return shebang === undefined ? readerOfText(fallback) : readerBy(splitWords(shebang))
}

/** Without a wait for the reader of a FIFO. */
const WRITABLE = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK

/** Paths of the files that get a copy of the logs; their folders are made. @param log of stdout */
export async function copiesOf(
  step: Step,
  { all }: StepView,
  workingDir: string,
  log: string
): Promise<Execution['copies']> {
  const copies: NonNullable<Execution['copies']> = {}
  for (const stream of ['stdout', 'stderr'] as const) {
    const written = step[stream]
    if (written === undefined) continue
    const path = resolve(workingDir, atHome(await expandField(written, all)))
    try {
      await makeFolder(dirname(path))
    } catch (cause) {
      throw new Error(`${stream} cannot be copied to ${path}: ${(cause as Error).message}`, { cause })
    }
    try {
      await (await open(path, WRITABLE, 0o600)).close() // a step must not wait for a file that nobody can open
    } catch (cause) {
      throw new Error(`${stream} cannot be copied to ${path}: ${reasonOf(cause as NodeJS.ErrnoException)}`, { cause })
    }
    copies[stream] = path
  }
  if (copies.stdout && copies.stdout === copies.stderr) copies.both = bothLog(log)
  return copies.stdout || copies.stderr ? copies : undefined
}
