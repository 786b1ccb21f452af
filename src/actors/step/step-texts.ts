/** Expands the texts of a step as its executor reads them: by a shell, as words, or whole. Source: execution-semantics 3.3, 10. */
import type { Step } from '../../../machines/vocabulary.ts'
import { expandList } from '../../definition/shell/list-command.ts'
import { isShellLike, readerBy, readerOf, readerOfText, type ShellReader } from '../../definition/shell/shell.ts'
import { splitWords } from '../../definition/shell/words.ts'
import { expandDeep, expandWords } from '../../definition/text/expand-deep.ts'
import { type Lookup, secretInText } from '../../definition/text/lookup.ts'
import {
  expandCommand,
  expandField,
  expandOwnText,
  expandRawText,
  expandShellText
} from '../../definition/text/variables.ts'
import type { Execution, Executor } from '../../executors/executor.ts'
import type { StepServices } from '../root/step-services.ts'
import type { RunScope } from '../run/run-scope.ts'
import { type StepView, withoutBackticks } from './lookups.ts'
import { remoteStep } from './remote-step.ts'

/** The texts and the config of a step, as its executor reads them. */
export async function textsFor(
  { reads = 'shell', handsOnScripts }: Executor,
  services: StepServices,
  scope: RunScope,
  step: Step,
  view: StepView
): Promise<Pick<Execution, 'args'> & Partial<Execution>> {
  if (reads === 'shell') return shellTexts(step, view, scope, services.defaultShell)
  // A remote shell is the step's own, never the DAG's.
  if (reads === 'remote') return remoteStep(services, scope, step, view, readBySh(step, step.shell))
  const inContainer: typeof expandRawText = (text, look) => expandShellText(text, look, 'away')
  const expandHandedOn = readBySh(step, undefined) ? inContainer : expandRawText
  const expandScript = handsOnScripts ? expandHandedOn : expandOwnText
  return {
    ...(await wordsOrText(reads, step, view.all, expandScript)),
    config: await expandDeep(step.executor.config, view.all)
  }
}

async function shellTexts(
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
export async function expandWord(word: string, look: Lookup): Promise<string> {
  const expanded = await expandField(word, look)
  if (look.isSecret?.(expanded)) throw secretInText(word)
  return expanded
}

/** Texts for executors that no shell works for: every variable is put into the text, and backticks are run in scripts too. */
async function wordsOrText(
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

/** The reader of a script: the program before it, the shell that is named, the interpreter that it names itself, the default shell. */
function scriptReader({ command, argv, script }: Step, named: string[] | undefined, fallback: string): ShellReader {
  if (command !== undefined || argv) return readerBy(argv ?? splitWords(command ?? ''))
  if (named) return readerBy(named)
  const [, shebang] = /^#!(.*)/.exec(script?.trimStart() ?? '') ?? []
  return shebang === undefined ? readerOfText(fallback) : readerBy(splitWords(shebang))
}
