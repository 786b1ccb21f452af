/** The container for the processes of a node or composite action, one after the other. Source: execution-semantics 10.9.2, 10.9.4. */
import { join } from 'node:path'
import type Docker from 'dockerode'
import type { Clock } from '../../clock.ts'
import type { ApiObject } from '../docker/api-objects.ts'
import { startCommand } from '../docker/command-in.ts'
import { doing, inspected, labelledContainers, makeContainer, removeContainer } from '../docker/containers.ts'
import { IDLE } from '../docker/shared-container.ts'
import { KILLED } from '../docker/target.ts'
import type { Work } from '../frame/in-process.ts'
import { write } from '../frame/step-output.ts'
import { signalNumber } from '../processes/process-group.ts'
import { type FileCommands, readFileCommands } from './file-commands.ts'
import { WORKSPACE } from './places.ts'
import { layOutCommands, upload } from './upload.ts'

export interface RunnerOptions {
  image: string
  container: ApiObject
  host: ApiObject
  env: string[]
  labels: Record<string, string>
  /** Labels of a container that an earlier execution may have left; absent: a new one is created. */
  reuse?: Record<string, string>
  autoRemove: boolean
  /** Holds `github/`, which is uploaded first. */
  files: string
}

export interface Process {
  words: string[]
  env: Readonly<Record<string, string>>
  /** Path inside. */
  workingDir: string
  /** Files that it needs, by their path inside. */
  texts?: ReadonlyMap<string, string>
}

export interface Runner {
  /** PATH of the image. */
  path: string
  /** Resolves with its exit code and the content of its command files. @throws AbortError when a stop has ended it */
  run(process: Process): Promise<{ code: number; commands: FileCommands }>
  close(): Promise<void>
}

const NAME = /^[A-Za-z_]\w*$/
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Docker's answer when it could not begin a command, for example because its container has been killed meanwhile. */
const NOT_BEGUN = 126

/** Whether a process that was sent a signal has ended by that: with this exit code. */
export const isEndOf = (signal: string, code: number): boolean =>
  code === KILLED || code === 128 + signalNumber(signal) || (code === NOT_BEGUN && signal === 'SIGKILL')

// D632: gha: node and composite actions run in one container of the runner image
/** @param closing aborts when the engine closes @throws Error with the reason, leaving none behind */
export async function openRunner(
  docker: Docker,
  options: RunnerOptions,
  work: Work,
  clock: Clock,
  closing: AbortSignal
): Promise<Runner> {
  const { image, host, env, labels, reuse, autoRemove, files } = options
  const [found] = reuse ? await labelledContainers(docker, reuse) : []
  const body = {
    ...options.container,
    Image: image,
    Entrypoint: [],
    Cmd: IDLE,
    WorkingDir: WORKSPACE,
    Env: env,
    Labels: labels,
    HostConfig: { Init: true, ...host }
  }
  const id = found?.Id ?? (await doing('the runner cannot be made', makeContainer(docker, { body, further: [] }, {})))
  const container = docker.getContainer(id)
  const close = async () => {
    if (autoRemove && !reuse) await removeContainer(docker, id)
    else await container.stop({ t: 0 })
  }
  try {
    // A running one was left by an earlier engine.
    await doing(
      'the runner cannot be started',
      found?.State === 'running' ? container.restart({ t: 0 }) : container.start()
    )
    await upload(container, files)
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
  const own = (await inspected(docker, id))?.Config.Env.find((entry) => entry.startsWith('PATH='))
  let count = 0
  return {
    path: own?.slice('PATH='.length) || PATH,
    close,
    async run({ words, env, workingDir, texts }) {
      work.signal.throwIfAborted()
      const folder = join(files, `process-${++count}`)
      await layOutCommands(folder, texts)
      await upload(container, folder)
      const entries = Object.entries(env).map(([name, value]) => ({ name, text: `${name}=${value}` }))
      // A shell inside execs the process, and shells pass on only valid variable names.
      const odd = entries.filter(({ name }) => !NAME.test(name)).map(({ text }) => text)
      const settings = {
        Env: entries.filter(({ name }) => NAME.test(name)).map(({ text }) => text),
        WorkingDir: workingDir
      }
      const command = { container: id, words: odd.length > 0 ? ['env', ...odd, ...words] : words, settings }
      const target = await startCommand(docker, command, clock, () => {})
      let asked: string | undefined
      work.onSignal((signal) => {
        asked = signal
        // Nothing else runs in the container, and killing it is quicker than a command inside.
        const sent = signal === 'SIGKILL' ? container.kill() : target.signal(signal)
        void sent.catch(() => {}) // the container is removed at the end
      })
      const { exitCode: code, remark } = await target.follow(work, closing).catch((error) => {
        work.signal.throwIfAborted()
        throw error
      })
      if (remark) await write(work.stderr, `${remark}\n`)
      if (asked && isEndOf(asked, code)) work.signal.throwIfAborted()
      return { code, commands: await readFileCommands(container) }
    }
  }
}
