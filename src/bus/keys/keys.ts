/**
 * Gives a worker a key, or takes it away: both write down what counts in this home, and a coordinator that runs takes it up at once.
 * Source: distribution 6, 8.
 */
import { type Clock, pause } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import { coordinatorIn } from '../address-file.ts'
import { rightsOf } from '../broker-config.ts'
import { changeEnrolment, type Enrolled, enrolmentIn } from '../enrolment.ts'
import { keyFileText, newKey } from '../key-file.ts'
import { subjectsOf } from '../messages.ts'
import { enrolledWith, revokedFrom } from './rules.ts'

/** Files that the settings of a home name. */
export interface KeyPlaces {
  enrolmentFile: string
  /** Folder in which the coordinator says where it is. */
  registryDir: string
  cluster: string
  /** NATS servers of somebody else; empty: the coordinator has its own. */
  nats: readonly unknown[]
}

export interface KeyChange {
  one: Enrolled
  /** Revision of the written enrolment. */
  revision: number
}

export interface GivenKey extends KeyChange {
  /** Text of the file with the key. It is nowhere else. */
  keyFile: string
  /** What has to be added to NATS servers of somebody else; absent: nothing has to. */
  natsUser?: string
}

/**
 * @param keep called with the text of the file before the key counts; what it throws undoes everything
 * @throws TroupeError already_exists: it has a key that counts; bad_request: there are too many; service_unavailable: another one is
 * written
 */
export async function giveKey(
  { enrolmentFile, cluster, nats }: KeyPlaces,
  id: string,
  clock: Clock,
  keep: (keyFile: string) => void = () => {}
): Promise<GivenKey> {
  const { seed, publicKey } = await newKey()
  let given: { one: Enrolled; keyFile: string } | undefined
  const { revision } = changeEnrolment(enrolmentFile, clock.now(), (workers) => {
    const { workers: changed, one } = enrolledWith(workers, { id, publicKey, at: clock.now() }, () =>
      Buffer.from(clock.random(8)).toString('hex')
    )
    given = { one, keyFile: keyFileText({ id: one.id, home: one.home, cluster, seed }) }
    keep(given.keyFile)
    return changed
  })
  if (!given) throw new Error('the enrolment was not asked what changes')
  return { ...given, revision, ...(nats.length > 0 ? { natsUser: natsUser(given.one, cluster) } : {}) }
}

/** @throws TroupeError not_found; not_running: it was revoked before; service_unavailable: another one is written */
export function takeKey({ enrolmentFile }: KeyPlaces, id: string, clock: Clock): KeyChange {
  const now = clock.now()
  if (!enrolmentIn(enrolmentFile)) revokedFrom([], id, now) // nothing is made for nobody
  const { revision, workers } = changeEnrolment(enrolmentFile, now, (workers) => revokedFrom(workers, id, now))
  const one = workers.find((worker) => worker.id === id)
  if (!one) throw new Error('a revoked worker stays on record')
  return { one, revision }
}

const LONGEST_MS = 5_000
const LOOK_MS = 50

/** Resolves when a coordinator has taken it up; false: none runs. @throws TroupeError service_unavailable: it does not take it up */
export async function takenUp({ registryDir }: KeyPlaces, revision: number, clock: Clock): Promise<boolean> {
  for (let waited = 0; ; waited += LOOK_MS) {
    const running = coordinatorIn(registryDir)
    if (!running) return false
    if ((running.enrolment ?? 0) >= revision) return true
    if (waited >= LONGEST_MS)
      throw new TroupeError(
        'service_unavailable',
        `it is written down, but the coordinator (process id ${running.guard.pid}) has not taken it up within ${LONGEST_MS / 1_000} s: its log says why; start it again`
      )
    await pause(clock, LOOK_MS)
  }
}

const natsUser = ({ home, publicKey }: Enrolled, cluster: string) =>
  `{ nkey: ${publicKey}, ${rightsOf(subjectsOf(cluster).ofWorker(home))} }`

const LONGEST_ID = 200
const CONTROL = /[\0-\x1f\x7f-\x9f\u2028\u2029]/

/** What is wrong with the name of a worker that gets a key; undefined: nothing. */
export const idProblem = (id: string): string | undefined =>
  id.length > LONGEST_ID || CONTROL.test(id)
    ? `wanted a name of at most ${LONGEST_ID} characters on one line`
    : undefined
