/**
 * `troupe worker enroll ID` and `revoke ID`: gives a worker a key, or takes it away. Both write down what counts in this home; a
 * coordinator that runs takes it up at once. Source: distribution 6, 8; our addition.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { coordinatorIn } from '../../../bus/address-file.ts'
import { rightsOf } from '../../../bus/broker-config.ts'
import { changeEnrolment, type Enrolled } from '../../../bus/enrolment.ts'
import { keyFileText, newKey, type WorkerKey } from '../../../bus/key-file.ts'
import { subjectsOf } from '../../../bus/messages.ts'
import { pause } from '../../../clock.ts'
import type { Config } from '../../../config.ts'
import { codeOf, TroupeError } from '../../../errors.ts'
import { prepareHome } from '../../../platform/home-folder.ts'
import type { CliContext } from '../../context.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { enrolledWith, revokedFrom } from './enrolment-rules.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const id = wantedIn(args)
  const config = context.configure(settingsOf(args))
  prepareHome(config, 'write')
  return args.operand === 'enroll' ? enroll(id, args, config, context) : revoke(id, args, config, context)
}

async function enroll(id: string, { text, on }: Arguments, config: Config, context: CliContext): Promise<number> {
  const { clock, out, err, cwd } = context
  const { cluster, enrolmentFile, nats } = config.coordination
  const { seed, publicKey } = await newKey()
  const path = text.out === undefined ? undefined : resolve(cwd, text.out)
  const file = path === undefined ? undefined : openNew(path)
  let one!: Enrolled
  let revision: number
  try {
    const changed = changeEnrolment(enrolmentFile, clock.now(), (workers) => {
      const found = enrolledWith(workers, { id, publicKey, at: clock.now() }, () =>
        Buffer.from(clock.random(8)).toString('hex')
      )
      one = found.one
      if (file !== undefined) keep(file, keyFileText(keyOf(one, cluster, seed))) // before it counts
      return found.workers
    })
    revision = changed.revision
  } catch (error) {
    if (path !== undefined) rmSync(path, { force: true })
    throw error
  } finally {
    if (file !== undefined) closeSync(file)
  }
  // Before anything else may fail: it is nowhere else.
  if (path === undefined) out.write(keyFileText(keyOf(one, cluster, seed)))
  else if (on.has('json')) out.write(`${JSON.stringify({ id, home: one.home, publicKey, keyFile: path })}\n`)
  else if (!on.has('quiet')) out.write(`${id} has a key: ${path}\n${NEXT}`)
  const isKnown = await takenUp(config, revision, context)
  if (on.has('quiet')) return 0
  if (nats.length > 0) err.write(forOperator(one, cluster))
  else err.write(`${isKnown ?? 'it counts as soon as a coordinator of this home runs'}\n`)
  return 0
}

const keyOf = ({ id, home }: Enrolled, cluster: string, seed: string): WorkerKey => ({ id, home, cluster, seed })

const NEXT = `  bring it to the machine of the worker, for its user only (chmod 600), and remove it here
  name it there with worker.keyFile, or ENGINE_WORKER_KEY_FILE
`

async function revoke(id: string, { on }: Arguments, config: Config, context: CliContext): Promise<number> {
  const { enrolmentFile, nats } = config.coordination
  const now = context.clock.now()
  const { revision, workers } = changeEnrolment(enrolmentFile, now, (workers) => revokedFrom(workers, id, now))
  const isKnown = await takenUp(config, revision, context)
  if (on.has('quiet')) return 0
  const one = workers.find((worker) => worker.id === id)
  if (on.has('json')) context.out.write(`${JSON.stringify({ id, home: one?.home, revokedAt: one?.revokedAt })}\n`)
  else
    context.out.write(
      nats.length > 0
        ? `${id} is revoked here. Remove the user ${one?.publicKey} from your NATS servers: until then its key connects\n`
        : `${id} is revoked: ${isKnown === undefined ? 'no coordinator of this home runs, and the next one lets it in no more' : 'its connection is closed, and its key lets nobody in'}\n`
    )
  return 0
}

const LONGEST_MS = 5_000
const LOOK_MS = 50

/** Resolves with what happened; undefined: no coordinator runs. @throws TroupeError service_unavailable: the coordinator does not take it up */
async function takenUp(
  { coordination: { registryDir } }: Config,
  revision: number,
  { clock }: CliContext
): Promise<string | undefined> {
  for (let waited = 0; ; waited += LOOK_MS) {
    const running = coordinatorIn(registryDir)
    if (!running) return undefined
    if ((running.enrolment ?? 0) >= revision) return 'the coordinator knows it'
    if (waited >= LONGEST_MS)
      throw new TroupeError(
        'service_unavailable',
        `it is written down, but the coordinator (process id ${running.guard.pid}) has not taken it up within ${LONGEST_MS / 1_000} s: its log says why; start it again`
      )
    await pause(clock, LOOK_MS)
  }
}

const forOperator = ({ home, publicKey }: Enrolled, cluster: string) =>
  `add this user to the authorization of your NATS servers:
  { nkey: ${publicKey}, ${rightsOf(subjectsOf(cluster).ofWorker(home))} }
`

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

const LONGEST_ID = 200
const CONTROL = /[\0-\x1f\x7f-\x9f\u2028\u2029]/

/** @throws TroupeError bad_request with every problem */
function wantedIn({ operand, step: id, text, on }: Arguments): string {
  const foreign = [...Object.keys(text), ...on].filter((flag) =>
    /^(worker\.|peer\.|leave-running$|timeout$)/.test(flag)
  )
  const problems = [
    ...(id === '' ? [`wanted the name of a worker after ${operand}, found none`] : []),
    ...(id.length > LONGEST_ID || CONTROL.test(id)
      ? [`wanted a name of at most ${LONGEST_ID} characters on one line`]
      : []),
    ...(operand === 'revoke' && text.out !== undefined ? ['--out belongs to enroll'] : []),
    ...foreign.map((flag) => `--${flag} does not belong to ${operand}`)
  ]
  if (problems.length > 0) throw new TroupeError('bad_request', `worker: ${problems.join('; ')}`)
  return id
}
