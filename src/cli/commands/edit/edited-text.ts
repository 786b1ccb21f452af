/** The text of a definition that is edited: in a file of this machine, or on a server elsewhere. */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Config } from '../../../config.ts'
import { messageOf, TroupeError } from '../../../errors.ts'
import type { CliContext, Remote } from '../../context.ts'
import { shortPath } from '../../owner/asked-definition.ts'
import { locateAsOwner } from '../../owner/open-client.ts'
import { oneLine } from '../../view/text.ts'
import { problemLine } from '../validate.ts'

export interface Checked {
  /** With their lines; empty: it can be saved. */
  problems: string[]
  warnings: string[]
}

export interface EditedText {
  /** Without its extension. */
  fileName: string
  /** As messages name it. */
  shown: string
  original: string
  check(text: string): Promise<Checked>
  /** @throws TroupeError: somebody else has saved meanwhile, or it cannot be saved; nothing has changed then */
  save(text: string): Promise<void>
}

/** @throws TroupeError not_found */
export async function textHere(operand: string, context: CliContext, config: Config): Promise<EditedText> {
  const { clock, cwd } = context
  // A link stays one.
  const file = realpathSync(await locateAsOwner(operand, context, config))
  const bytes = readFileSync(file)
  const shown = shortPath(file, cwd)
  if (!isUtf8(bytes))
    throw new TroupeError('bad_request', `${shown} is not UTF-8: an editor would change more than you do`)
  const original = bytes.toString('utf8')
  return {
    fileName: basename(file).replace(/\.ya?ml$/, ''),
    shown,
    original,
    async check(text) {
      const { openDefinitions, withDoubts } = await import('../../../definitions/definitions.ts')
      const definitions = openDefinitions(config.dagsDir, config.baseConfig, clock, undefined, config.allowedTypes)
      const name = basename(file).replace(/\.ya?ml$/, '')
      const checked = await withDoubts(
        await definitions.check(text, { fallbackName: name, sourceDir: dirname(file) }),
        config.environment
      )
      const problems = checked.problems.map((problem) => problemLine(problem, shown).replace(/^- /, ''))
      return { problems, warnings: checked.warnings }
    },
    async save(text) {
      if (readFileSync(file, 'utf8') !== original) throw changed(shown)
      replace(file, text)
      const { audit } = config
      if (!audit.enabled) return
      const [{ changedText }, { entered }] = await Promise.all([
        import('../../../audit/text-diff.ts'),
        import('../../owner/entered.ts')
      ])
      const fileName = basename(file).replace(/\.ya?ml$/, '')
      await entered(context, config, {
        operation: 'replaceDagSpec',
        target: { fileName },
        ...changedText(original, text, config.environment)
      })
    }
  }
}

/** All of it or nothing, with the permissions that the file has. @throws TroupeError */
function replace(file: string, text: string): void {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants
  const next = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`)
  try {
    const written = openSync(next, O_CREAT | O_EXCL | O_WRONLY, 0o600)
    try {
      writeSync(written, text)
      fchmodSync(written, statSync(file).mode & 0o777)
      fsyncSync(written)
    } finally {
      closeSync(written)
    }
    renameSync(next, file)
  } catch (cause) {
    rmSync(next, { force: true })
    throw new TroupeError('service_unavailable', `${file} cannot be saved: ${messageOf(cause)}`, { cause })
  }
}

/** @throws TroupeError not_found, and what the server refuses */
export async function textThere(operand: string, remote: Remote): Promise<EditedText> {
  const { apiOf, fileNameOf } = await import('../../remote/api.ts')
  const api = apiOf(remote)
  const fileName = fileNameOf(operand)
  const path = { fileName }
  const { spec: original, revision } = await api.getDagSpec({ path })
  const shown = `${fileName} on ${remote.url}`
  return {
    fileName,
    shown,
    original,
    async check(text) {
      const { errors, warnings = [] } = await api.validateDag({ body: { spec: text, name: fileName } })
      return { problems: errors.map(oneLine), warnings }
    },
    async save(text) {
      const body = { spec: text, ...(revision === undefined ? {} : { revision }) }
      const { errors } = await api.replaceDagSpec({ path, body }).catch((error: unknown) => {
        throw error instanceof TroupeError && error.code === 'changed_meanwhile' ? changed(shown) : error
      })
      if (errors.length > 0)
        throw new TroupeError('bad_request', `${shown} is not saved: ${errors.map(oneLine).join('; ')}`)
    }
  }
}

const changed = (shown: string) =>
  new TroupeError('changed_meanwhile', `${shown} is not saved: somebody else has saved it meanwhile`)
