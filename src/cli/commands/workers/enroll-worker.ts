/**
 * `troupe worker enroll ID` and `revoke ID`: gives a worker a key, or takes it away, in a home of this machine or, with `--url`, in that
 * of a server. Source: distribution 6, 8; our addition.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { idProblem } from '../../../bus/keys/keys.ts'
import { codeOf, TroupeError } from '../../../errors.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import type { Given, WorkerKeys } from './worker-keys.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const id = wantedIn(args)
  const { keysHere, keysThere } = await import('./worker-keys.ts')
  const keys = context.remote ? await keysThere(context.remote) : keysHere(args, context)
  return args.operand === 'enroll' ? enroll(id, args, keys, context) : revoke(id, args, keys, context)
}

async function enroll(id: string, { text, on }: Arguments, keys: WorkerKeys, context: CliContext): Promise<number> {
  const { out, err, cwd } = context
  const path = text.out === undefined ? undefined : resolve(cwd, text.out)
  const file = path === undefined ? undefined : openNew(path)
  let given: Given
  try {
    given = await keys.give(id, (keyFile) => file !== undefined && keep(file, keyFile))
  } catch (error) {
    if (path !== undefined) rmSync(path, { force: true })
    throw error
  } finally {
    if (file !== undefined) closeSync(file)
  }
  const { home, publicKey, keyFile, natsUser } = given
  // Before anything else may fail: it is nowhere else.
  if (path === undefined) out.write(keyFile)
  else if (on.has('json')) out.write(`${JSON.stringify({ id, home, publicKey, keyFile: path })}\n`)
  else if (!on.has('quiet')) out.write(`${id} has a key: ${path}\n${NEXT}`)
  const isKnown = await given.takenUp()
  if (on.has('quiet')) return 0
  if (natsUser !== undefined) err.write(`add this user to the authorization of your NATS servers:\n  ${natsUser}\n`)
  else err.write(isKnown ? 'the coordinator knows it\n' : 'it counts as soon as a coordinator of this home runs\n')
  return 0
}

const NEXT = `  bring it to the machine of the worker, for its user only (chmod 600), and remove it here
  name it there with worker.keyFile, or ENGINE_WORKER_KEY_FILE
`

async function revoke(id: string, { on }: Arguments, keys: WorkerKeys, { out }: CliContext): Promise<number> {
  const { home, publicKey, revokedAt, isForeign, takenUp } = await keys.take(id)
  if (on.has('quiet')) return 0
  if (on.has('json')) out.write(`${JSON.stringify({ id, home, revokedAt })}\n`)
  else
    out.write(
      isForeign
        ? `${id} is revoked here. Remove the user ${publicKey} from your NATS servers: until then its key connects\n`
        : `${id} is revoked: ${takenUp ? 'its connection is closed, and its key lets nobody in' : 'no coordinator of this home runs, and the next one lets it in no more'}\n`
    )
  return 0
}

/** Nothing is replaced: another key may be there. */
function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (cause) {
    const why = codeOf(cause) === 'EEXIST' ? 'there is a file already' : `it cannot be written (${codeOf(cause)})`
    throw new TroupeError('bad_request', `--out: wanted a new file at ${path}, but ${why}`, { cause })
  }
}

function keep(file: number, text: string): void {
  writeSync(file, text)
  fsyncSync(file)
}

/** @throws TroupeError bad_request with every problem */
function wantedIn({ operands: [operand = '', id = ''], text, on }: Arguments): string {
  const foreign = [...Object.keys(text), ...on].filter((flag) =>
    /^(worker\.|peer\.|leave-running$|timeout$)/.test(flag)
  )
  const wrong = idProblem(id)
  const problems = [
    ...(id === '' ? [`wanted the name of a worker after ${operand}, found none`] : []),
    ...(wrong === undefined ? [] : [wrong]),
    ...(operand === 'revoke' && text.out !== undefined ? ['--out belongs to enroll'] : []),
    ...foreign.map((flag) => `--${flag} does not belong to ${operand}`)
  ]
  if (problems.length > 0) throw new TroupeError('bad_request', `worker: ${problems.join('; ')}`)
  return id
}
