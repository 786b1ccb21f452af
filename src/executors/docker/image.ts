/** Makes sure that an image is present before a container is created from it. Source: execution-semantics 10.2.8. */
import type Docker from 'dockerode'
import { reasonOf, statusOf } from './connection.ts'
import type { Credentials } from './credentials.ts'

export type PullPolicy = 'always' | 'missing' | 'never'

export interface ImageRequest {
  image: string
  pull: PullPolicy
  platform?: string | undefined
}

/** Characters that no name, tag or digest has, and that could change the path of the API. */
const UNUSUAL = /[^\w.:/@+-]|\.\./

/** @param credentials called when the image is pulled @throws Error when it cannot be pulled */
export async function haveImage(
  docker: Docker,
  { image, pull, platform }: ImageRequest,
  credentials: () => Credentials | undefined,
  signal: AbortSignal
): Promise<void> {
  if (UNUSUAL.test(image))
    throw new Error(`"${image}" is no name of an image: wanted one such as python:3.12-slim or ghcr.io/team/tool:1`)
  if (pull === 'never' || (pull === 'missing' && (await isThere(docker, image, platform)))) return
  const auth = credentials()
  const options = { ...(platform ? { platform } : {}), ...(auth ? { authconfig: auth } : {}), abortSignal: signal }
  try {
    const progress: NodeJS.ReadableStream = await docker.pull(image, options)
    await pulled(docker, progress)
  } catch (cause) {
    throw new Error(`the image ${image} cannot be pulled: ${reasonOf(cause)}`, { cause })
  }
}

/** A failure may be reported inside the progress stream, which then ends normally. */
const pulled = (docker: Docker, progress: NodeJS.ReadableStream): Promise<void> =>
  new Promise((resolve, reject) => {
    docker.modem.followProgress(progress, (error: Error | null, events: { error?: string }[] | null) => {
      const failed = events?.find((event) => event.error !== undefined)
      if (error) reject(error)
      else if (failed) reject(new Error(failed.error))
      else resolve()
    })
  })

async function isThere(docker: Docker, image: string, platform: string | undefined): Promise<boolean> {
  try {
    const info = await docker.getImage(image).inspect()
    const { Os, Architecture, Variant = '' } = info as typeof info & { Variant?: string } // its types leave one out
    const wanted = platform ? partsOf(platform) : await ofEngine(docker)
    return (
      [Os || wanted.os, architecture(Architecture) || wanted.arch].join() === [wanted.os, wanted.arch].join() &&
      (wanted.variant === undefined || Variant === '' || wanted.variant === Variant)
    )
  } catch (error) {
    if (statusOf(error) === 404) return false
    throw error
  }
}

interface Platform {
  os: string
  arch: string
  variant?: string | undefined
}

/** `linux/arm/v7`, or an architecture alone. */
function partsOf(platform: string): Platform {
  const [first = '', second, variant] = platform.toLowerCase().split('/')
  return second === undefined
    ? { os: 'linux', arch: architecture(first) }
    : { os: first, arch: architecture(second), variant }
}

/** Asked once: the platform of an engine does not change. */
const engines = new WeakMap<Docker, Platform>()

async function ofEngine(docker: Docker): Promise<Platform> {
  const known = engines.get(docker)
  if (known) return known
  const { Os, Arch } = await docker.version()
  const found = { os: Os, arch: architecture(Arch) }
  engines.set(docker, found)
  return found
}

const architecture = (name: string): string =>
  ({ x86_64: 'amd64', aarch64: 'arm64', armhf: 'arm', i386: '386' })[name] ?? name
