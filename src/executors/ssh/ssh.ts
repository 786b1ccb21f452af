/** `ssh` steps: a command or a script on a remote host. Source: execution-semantics 10.3; definition-format "Executors", row ssh. */
import type { Clock } from '../../clock.ts'
import type { Execution } from '../executor.ts'
import { ExecutionError, type Work } from '../frame/in-process.ts'
import { write } from '../frame/step-output.ts'
import { machineOf } from './connect.ts'
import { credentialsOf } from './credentials.ts'
import { LIMITS, openPool, type Peer, type PoolLimits } from './pool.ts'
import { remoteLine } from './remote-line.ts'
import { forgetNote, note } from './remote-note.ts'
import { attach } from './remote-process.ts'
import { stopper } from './stopper.ts'

export interface Ssh {
  /** Resolves with its exit code, or the signal that ended it after a stop. @throws Error with what went wrong */
  perform(work: Work): Promise<number | NodeJS.Signals>
  close(): void
}

export function openSsh(clock: Clock, limits: PoolLimits = LIMITS): Ssh {
  const pool = openPool(clock, limits)
  let closed = false
  return {
    async perform(work) {
      const { execution, signal } = work
      const peer = await peerOf(execution)
      const machine = machineOf(peer.credentials)
      const mark = `troupe-${Buffer.from(clock.random(12)).toString('hex')}`
      const { line, stdin } = remoteLine(execution, mark)
      const session = await pool.open(peer, line, { signal, sent: work.sent })
      const sink = {
        stdout: (chunk: Uint8Array) => write(work.stdout, chunk),
        stderr: (chunk: Uint8Array) => write(work.stderr, chunk)
      }
      const remote = attach(session, mark, sink, clock)
      session.channel.end(stdin)
      void remote.group.then((group) => group !== undefined && note(execution, machine, group))
      const unreported = `${machine} has not reported the end of the killed command: it may still be running there\n`
      const stop = stopper(pool, peer, session.channel, remote, clock, () => {
        sink.stderr(Buffer.from(unreported)).catch(() => {}) // the stop continues
      })
      work.onSignal(stop.deliver)
      try {
        const { code, signal: by } = await remote.ended
        if (signal.aborted && !closed) await stop.groupGone()
        if (code === 130 && stop.asked() === 'SIGINT') return 'SIGINT' // shells do not report it
        if (code !== undefined) return code
        if (signal.aborted && (by || stop.killed())) return by ?? 'SIGKILL'
        if (by) throw new ExecutionError(1, `the remote command was ended by ${by}`)
        if (closed) throw new Error('the engine is closing')
        const lost = `the connection to ${machine} was lost; whether the command has ended there is not known`
        throw new ExecutionError(1, lost)
      } finally {
        if (!closed) forgetNote(execution)
      }
    },
    close() {
      closed = true
      pool.close()
    }
  }
}

async function peerOf({ ssh }: Execution): Promise<Peer> {
  if (!ssh) throw new Error('ssh configuration is not found')
  const { strictHostKey, knownHostFile } = ssh
  return {
    credentials: await credentialsOf(ssh),
    trust: { strictHostKey, ...(knownHostFile === undefined ? {} : { knownHostFile }) }
  }
}
