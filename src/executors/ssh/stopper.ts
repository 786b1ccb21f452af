/**
 * The stop of a remote command. Signals go to its process group over a session of their own, because OpenSSH ignores those
 * of a session that is root's. Source: execution-semantics 7.3, 10.3.8.
 */
import type { ClientChannel } from 'ssh2'
import { type Clock, pause } from '../../clock.ts'
import type { Peer, SshPool } from './pool.ts'
import type { RemoteProcess } from './remote-process.ts'

export interface Stopper {
  deliver(signal: string): void
  /** The first signal it was asked to end by. */
  asked(): string | undefined
  killed(): boolean
  /** Resolves when the group is gone: a stop is not over when its leader is. */
  groupGone(): Promise<void>
}

/** How long a killed command has to tell its end, before its session is closed; ms. */
const KILLED_MS = 500

// D624
/** @param unheard called when a killed command has not told its end by then: nobody knows whether it has ended */
export function stopper(
  pool: SshPool,
  peer: Peer,
  channel: ClientChannel,
  { group, ended }: RemoteProcess,
  clock: Clock,
  unheard: () => void
): Stopper {
  let asked: string | undefined
  let killed = false
  /** Whether the group's id is still its own. */
  let held = true
  const release = () => {
    held = false
  }
  ended.then(release, release)

  async function deliver(signal: string): Promise<void> {
    const id = await group
    if (!held) return
    const name = signal.replace(/^SIG/, '')
    const answer =
      id === undefined ? undefined : await exitCodeOf(pool, peer, `kill -${name} -${id}`).catch(() => undefined)
    if (answer === undefined && held) channel.signal(name)
  }

  return {
    asked: () => asked,
    killed: () => killed,
    deliver(signal) {
      asked ??= signal
      void deliver(signal)
      if (signal !== 'SIGKILL') return
      killed = true
      void pause(clock, KILLED_MS).then(() => {
        if (held) unheard()
        channel.close()
      })
    },
    async groupGone() {
      const id = await group
      if (id === undefined) return
      held = true
      await exitCodeOf(pool, peer, untilGone(id)).catch(() => undefined) // a lost connection tells no more
      held = false
    }
  }
}

/** Zombies do not count: they stay where nobody reaps orphans. */
const untilGone = (group: number): string =>
  `while kill -0 -${group} 2>/dev/null; do ` +
  `all=$(ps -e -o pgid= -o stat= 2>/dev/null) && ! printf '%s\\n' "$all" | grep -q '^ *${group}  *[^Z ]' && break; ` +
  'sleep 0.1; done'

/** Of a short command; undefined: it has none. */
async function exitCodeOf(pool: SshPool, peer: Peer, line: string): Promise<number | undefined> {
  const { channel, exited } = await pool.open(peer, line, { urgent: true })
  channel.on('error', () => {}) // `close` follows
  channel.resume()
  channel.stderr.resume()
  channel.end()
  const closed = new Promise<undefined>((resolve) => channel.once('close', () => resolve(undefined)))
  return Promise.race([exited.then(({ code }) => code), closed])
}
