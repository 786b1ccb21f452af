/** Docker actions: an image that is built or pulled, and one container of it. Source: execution-semantics 10.9.4. */
import type Docker from 'dockerode'
import type { Clock } from '../../clock.ts'
import type { ApiObject } from '../docker/api-objects.ts'
import { readable, reasonOf, statusOf } from '../docker/connection.ts'
import { doing, makeContainer, removeContainer } from '../docker/containers.ts'
import { ownContainer } from '../docker/own-container.ts'
import type { Work } from '../frame/in-process.ts'
import { write } from '../frame/step-output.ts'
import { signalNumber } from '../processes/process-group.ts'
import { type FileCommands, readFileCommands } from './file-commands.ts'
import { WORKSPACE } from './places.ts'
import { packed, upload } from './upload.ts'

export interface ImageBuild {
  /** Folder of the build context. */
  context: string
  /** Path inside that folder. */
  dockerfile: string
  tag: string
  /** An existing image of that tag is not reused. */
  rebuild: boolean
  withoutCache: boolean
}

/** @param say receives the output of the build @throws Error with the reason */
export async function builtImage(
  docker: Docker,
  { context, dockerfile, tag, rebuild, withoutCache }: ImageBuild,
  say: (message: string) => void,
  signal: AbortSignal
): Promise<void> {
  if (!rebuild && (await isThere(docker, tag))) return
  const options = { t: tag, dockerfile, rm: true, forcerm: true, nocache: withoutCache, abortSignal: signal }
  try {
    const progress = await docker.buildImage(await packed(context), options)
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(
        progress,
        (error: Error | null, events: { error?: string }[] | null) => {
          const failed = events?.find((event) => event.error !== undefined)
          if (error ?? failed) reject(error ?? new Error(failed?.error))
          else resolve()
        },
        ({ stream }: { stream?: string }) => {
          if (stream?.trim()) say(stream.trimEnd())
        }
      )
    })
  } catch (cause) {
    signal.throwIfAborted()
    throw new Error(`the image of the action cannot be built from ${dockerfile}: ${reasonOf(cause)}`, { cause })
  }
}

async function isThere(docker: Docker, tag: string): Promise<boolean> {
  try {
    await docker.getImage(tag).inspect()
    return true
  } catch (error) {
    if (statusOf(error) === 404) return false
    throw error
  }
}

export interface ActionContainer {
  image: string
  args?: string[]
  entrypoint?: string
  env: Readonly<Record<string, string>>
  container: ApiObject
  host: ApiObject
  labels: Record<string, string>
  autoRemove: boolean
  /** Holds `github/`. */
  files: string
}

/** Resolves with the exit code and the content of its command files. @throws AbortError when a stop has ended it; Error with the reason */
export async function runContainer(
  docker: Docker,
  { image, args, entrypoint, env, labels, autoRemove, files, ...rest }: ActionContainer,
  work: Work,
  clock: Clock,
  closing: AbortSignal
): Promise<{ code: number; commands: FileCommands }> {
  work.signal.throwIfAborted()
  const body = {
    ...rest.container,
    Image: image,
    ...(entrypoint === undefined ? {} : { Entrypoint: [entrypoint] }),
    ...(args === undefined ? {} : { Cmd: args }),
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    WorkingDir: WORKSPACE,
    Labels: labels,
    HostConfig: { Init: true, ...rest.host }
  }
  const id = await doing('the container of the action cannot be made', makeContainer(docker, { body, further: [] }, {}))
  const container = docker.getContainer(id)
  try {
    await upload(container, files)
    const attached = readable(await container.attach({ stream: true, stdout: true, stderr: true }))
    await doing('the container of the action cannot be started', container.start())
    const target = ownContainer(docker, id, autoRemove, clock, { stream: attached, tty: false })
    let asked: string | undefined
    work.onSignal((signal) => {
      asked = signal
      void target.signal(signal).catch(() => {}) // it is removed at the end
    })
    const { exitCode: code, remark } = await target.follow(work, closing)
    if (remark) await write(work.stderr, `${remark}\n`)
    if (asked && [128 + signalNumber(asked), 137].includes(code)) work.signal.throwIfAborted()
    return { code, commands: await readFileCommands(container) }
  } finally {
    if (autoRemove || closing.aborted) await removeContainer(docker, id).catch(() => {}) // the next start removes it otherwise
  }
}
