/** Keys of workers: in a home of this machine, or in that of a server elsewhere. */
import { refuseInStep, stepIn } from '../../../api/owner/calling-step.ts'
import { giveKey, takeKey, takenUp } from '../../../bus/keys/keys.ts'
import { TroupeError } from '../../../errors.ts'
import { prepareHome } from '../../../platform/home-folder.ts'
import type { CliContext, Remote } from '../../context.ts'
import type { Arguments } from '../../input/command.ts'
import { settingsOf } from '../../input/flags.ts'
import { entered } from '../../owner/entered.ts'
import { apiOf } from '../../remote/api.ts'

/** Keys of the workers of one home. */
export interface WorkerKeys {
  /** @param keep called with the text of the file with the key, which is nowhere else @throws TroupeError as `giveKey` */
  give(id: string, keep: (keyFile: string) => void): Promise<Given>
  /** @throws TroupeError as `takeKey` */
  take(id: string): Promise<Taken>
}

export interface Given {
  /** Id of the home folder of the worker. */
  home: string
  publicKey: string
  keyFile: string
  /** What has to be added to NATS servers of somebody else; absent: nothing has to. */
  natsUser?: string
  /** Whether a coordinator runs, which knows it then. @throws TroupeError service_unavailable: it does not take it up */
  takenUp(): Promise<boolean>
}

interface Taken {
  home: string
  publicKey: string
  /** Epoch ms. */
  revokedAt: number
  /** The NATS servers are somebody else's. */
  isForeign: boolean
  takenUp: boolean
}

export function keysHere(args: Arguments, context: CliContext): WorkerKeys {
  const { clock, configure } = context
  const config = configure(settingsOf(args))
  if (!config.stepsMayGiveKeys && stepIn(config.environment)) refuseInStep(`worker ${args.operand}`)
  prepareHome(config, 'write')
  const { coordination } = config
  return {
    async give(id, keep) {
      const { one, revision, ...given } = await giveKey(coordination, id, clock, keep)
      const { home, publicKey } = one
      return {
        home,
        publicKey,
        ...given,
        async takenUp() {
          await entered(context, config, { operation: 'enrollWorker', target: { workerId: id }, after: { publicKey } })
          return takenUp(coordination, revision, clock)
        }
      }
    },
    async take(id) {
      const { one, revision } = takeKey(coordination, id, clock)
      const { home, publicKey, revokedAt = clock.now() } = one
      const isForeign = coordination.nats.length > 0
      await entered(context, config, { operation: 'revokeWorker', target: { workerId: id }, after: { publicKey } })
      return { home, publicKey, revokedAt, isForeign, takenUp: await takenUp(coordination, revision, clock) }
    }
  }
}

export async function keysThere(remote: Remote): Promise<WorkerKeys> {
  const api = apiOf(remote)
  return {
    async give(workerId, keep) {
      const { home, publicKey, keyFile, natsUser, isTakenUp, problem } = await api.enrollWorker({ path: { workerId } })
      keep(keyFile)
      return {
        home,
        publicKey,
        keyFile,
        ...(natsUser === undefined ? {} : { natsUser }),
        async takenUp() {
          if (problem !== undefined) throw new TroupeError('service_unavailable', problem)
          return isTakenUp
        }
      }
    },
    async take(workerId) {
      const { home, publicKey, revokedAt, isForeign, isTakenUp } = await api.revokeWorker({ path: { workerId } })
      return { home, publicKey, revokedAt: Date.parse(revokedAt), isForeign, takenUp: isTakenUp }
    }
  }
}
