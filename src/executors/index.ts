/** The executors there are, by type. Those inside the engine, and their packages, are loaded when a step needs them. */
import type { Clock } from '../clock.ts'
import { removePartial } from './archive/partial-note.ts'
import type { CustomExecutor } from './custom/custom.ts'
import { customInsider } from './custom/custom-insider.ts'
import type { DockerEngine } from './docker/connection.ts'
import { docker } from './docker/docker.ts'
import type { Executor } from './executor.ts'
import { type InProcess, inProcess } from './frame/in-process.ts'
import { endIdleThreads } from './frame/worker-thread.ts'
import type { Gha } from './gha/gha.ts'
import type { Capture } from './launcher/capture.ts'
import type { Launcher } from './launcher/launcher.ts'
import { shell } from './shell/shell.ts'
import { leftBehind } from './ssh/remote-note.ts'
import type { Ssh } from './ssh/ssh.ts'

const insiders = (clock: Clock): InProcess[] => [
  { type: 'http', reads: 'words', perform: async (work) => (await import('./http/http.ts')).http(work, clock) },
  {
    type: 'jq',
    reads: 'text',
    perform: async (work) => (await import('./jq/jq.ts')).jq(work, clock),
    close: endIdleThreads
  },
  {
    type: 'archive',
    reads: 'words',
    interrupted: removePartial,
    perform: async (work) => (await import('./archive/archive.ts')).archive(work, clock)
  },
  { type: 'mail', reads: 'words', perform: async (work) => (await import('./mail/mail.ts')).mail(work, clock) },
  ssh(clock)
]

/** A kill has to reach the other machine first. */
const REMOTE_KILL_MS = 900

function ssh(clock: Clock): InProcess {
  let opened: Promise<Ssh> | undefined
  const open = () => {
    opened ??= import('./ssh/ssh.ts').then(({ openSsh }) => openSsh(clock))
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

/** So long its containers are given to end before they are removed without it. */
const CONTAINER_KILL_MS = 900

function gha(engine: DockerEngine, capture: Capture, clock: Clock): InProcess {
  let opened: Promise<Gha> | undefined
  const open = () => {
    opened ??= import('./gha/gha.ts').then(({ openGha }) => openGha(engine, capture, clock))
    return opened
  }
  return {
    type: 'gha',
    reads: 'words',
    killMs: CONTAINER_KILL_MS,
    interrupted: async (traces) => (await open()).interrupted(traces),
    perform: async (work) => (await open()).perform(work),
    close: () => void opened?.then((actions) => actions.close())
  }
}

/** @param custom those of the host application */
export const openExecutors = (
  launcher: Launcher,
  capture: Capture,
  clock: Clock,
  engine: DockerEngine,
  custom: readonly CustomExecutor[] = []
): Map<string, Executor> =>
  new Map(
    [
      shell(launcher, clock),
      docker(engine, clock),
      ...[...insiders(clock), gha(engine, capture, clock), ...custom.map(customInsider)].map((insider) =>
        inProcess(insider, clock)
      )
    ].map((executor) => [executor.type, executor])
  )
