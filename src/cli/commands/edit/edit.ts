/** `troupe edit`: a definition in the editor of the user, checked before it is saved. What was written is never lost. Our addition. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf, TroupeError } from '../../../errors.ts'
import type { CliContext } from '../../context.ts'
import { isAgreed } from '../../foreground/question.ts'
import type { CommandModule } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { oneLine } from '../../view/text.ts'
import { type Checked, type EditedText, textHere, textThere } from './edited-text.ts'

const DEFAULT_EDITOR = 'vi'

// D1254: `troupe edit` saves over what it has read, or not at all
export const run: CommandModule['run'] = async (args, context) => {
  const { out, err } = context
  const config = context.configure(settingsOf(args))
  const { VISUAL, EDITOR } = config.environment
  const text = context.remote
    ? await textThere(args.operand, context.remote)
    : await textHere(args.operand, context, config)
  const copy = join(mkdtempSync(join(tmpdir(), 'troupe-edit-')), `${text.fileName}.yaml`)
  writeFileSync(copy, text.original, { mode: 0o600 })
  const say = (line: string) => void (args.on.has('quiet') || err.write(`${line}\n`))
  const answer = (result: { saved: boolean } & Partial<Checked>, line: string) => {
    if (args.on.has('json') && !args.on.has('quiet')) out.write(`${JSON.stringify({ file: text.shown, ...result })}\n`)
    else if (!args.on.has('quiet')) out.write(`${line}\n`)
    return 0
  }
  try {
    for (;;) {
      await edit(copy, VISUAL || EDITOR || DEFAULT_EDITOR, context)
      const written = readFileSync(copy, 'utf8')
      if (written === text.original) {
        forget(copy)
        return answer({ saved: false }, `${text.shown} was not changed`)
      }
      const { problems, warnings } = await text.check(written)
      for (const warning of warnings) say(`warning: ${text.shown}: ${oneLine(warning)}`)
      if (problems.length === 0) {
        await text.save(written)
        forget(copy)
        return answer({ saved: true, warnings }, `${text.shown} is saved`)
      }
      for (const problem of problems) err.write(`- ${problem}\n`)
      if (!(await isAgreed('Edit it again? [Y/n] ', context, true)))
        throw new TroupeError('bad_request', `${text.shown} is not saved: it has problems`)
    }
  } catch (error) {
    throw kept(error, copy, text)
  }
}

/** The same error, which says where the text is; it goes where nothing was written. */
function kept(error: unknown, copy: string, { original }: EditedText): unknown {
  if (textIn(copy) === original) {
    forget(copy)
    return error
  }
  const code = error instanceof TroupeError ? error.code : 'internal_error'
  return new TroupeError(code, `${messageOf(error)}; what you wrote is kept in ${copy}`, { cause: error })
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined // the editor has removed it
  }
}

const forget = (copy: string) => rmSync(join(copy, '..'), { recursive: true, force: true })

/** Resolves when the editor has ended. An interrupt is for the editor alone. @throws TroupeError bad_request */
async function edit(path: string, editor: string, context: CliContext): Promise<void> {
  const release = context.onSignal(() => {})
  try {
    // Editors are named with flags, as in `code --wait`.
    const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' })
    const ended = await new Promise<string>((resolve) => {
      child.on('error', (error) => resolve(error.message))
      child.on('exit', (code, signal) => resolve(code === 0 ? '' : signal ? `ended by ${signal}` : `exit code ${code}`))
    })
    if (ended !== '')
      throw new TroupeError(
        'bad_request',
        `edit: the editor ${editor} has failed: ${ended}; VISUAL or EDITOR names another one`
      )
  } finally {
    release()
  }
}
