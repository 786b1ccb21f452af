/** `ssh` steps, before one is there: the client is loaded with the first. */
import type { Clock } from '../../clock.ts'
import type { InProcess } from '../frame/in-process.ts'
import { leftBehind } from './remote-note.ts'
import type { Ssh } from './ssh.ts'

/** A kill has to reach the other machine first. */
const REMOTE_KILL_MS = 900

export function ssh(clock: Clock): InProcess {
  let opened: Promise<Ssh> | undefined
  const open = () => {
    opened ??= import('./ssh.ts').then(({ openSsh }) => openSsh(clock))
    return opened
  }
  return {
    type: 'ssh',
    reads: 'remote',
    killMs: REMOTE_KILL_MS,
    sends: true,
    interrupted: leftBehind,
    perform: async (work) => (await open()).perform(work),
    close: () =>
      void opened?.then(
        (remote) => remote.close(),
        () => {}
      ) // a client that cannot be loaded has told its steps
  }
}
