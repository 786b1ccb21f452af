/**
 * Stops a remote command. Signals are sent to its process group over a separate session, because OpenSSH ignores signals in
 * a session of root. Source: execution-semantics 7.3, 10.3.8.
 */
import type { ClientChannel } from 'ssh2'
import { type Clock, pause } from '../../clock.ts'
import type { Peer, SshPool } from './pool.ts'
import type { RemoteProcess } from './remote-process.ts'

/** How long a killed command may take to report its end before its session is closed, ms. */
const KILLED_MS = 500

// D624: signals go to the remote process group over a second session
/** @param unreported called when a killed command has not reported its end by then: it may still run */
export function stopper(
  pool: SshPool,
  peer: Peer,
  channel: ClientChannel,
  { group, ended }: RemoteProcess,
  clock: Clock,
  unreported: () => void
) {
  let asked: string | undefined
  let killed = false
  /** Whether the group id still belongs to it. */
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
    /** The first signal of its stop. */
    asked: (): string | undefined => asked,
    killed: (): boolean => killed,
    deliver(signal: string) {
      asked ??= signal
      void deliver(signal)
      if (signal !== 'SIGKILL') return
      killed = true
      void pause(clock, KILLED_MS).then(() => {
        if (held) unreported()
        channel.close()
      })
    },
    /** Resolves when the whole group is gone, not only its leader. */
    async groupGone(): Promise<void> {
      const id = await group
      if (id === undefined) return
      held = true
      await exitCodeOf(pool, peer, untilGone(id)).catch(() => undefined) // a lost connection reports nothing
      held = false
    }
  }
}

/** Zombies do not count: they stay where no process reaps orphans. */
const untilGone = (group: number): string =>
  `while kill -0 -${group} 2>/dev/null; do ` +
  `all=$(ps -e -o pgid= -o stat= 2>/dev/null) && ! printf '%s\\n' "$all" | grep -q '^ *${group}  *[^Z ]' && break; ` +
  'sleep 0.1; done'

/** Exit code of a short command; undefined: none. */
async function exitCodeOf(pool: SshPool, peer: Peer, line: string): Promise<number | undefined> {
  const { channel, exited } = await pool.open(peer, line, { urgent: true })
  channel.on('error', () => {}) // `close` follows
  channel.resume()
  channel.stderr.resume()
  channel.end()
  const closed = new Promise<undefined>((resolve) => channel.once('close', () => resolve(undefined)))
  return Promise.race([exited.then(({ code }) => code), closed])
}
