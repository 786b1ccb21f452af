/** Real services for tests: a Docker engine and a private registry of their own, where the scripts that start them are at hand. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { connectionOptions } from '../../src/executors/docker/connection.ts'
import { PROJECT } from './import-table.ts'

const run = promisify(execFile)
const SCRIPTS = join(PROJECT, '..', 'shared', 'services')
const STARTING_MS = 60_000

/** An image with a shell and nothing else. */
export const IMAGE = 'local/busybox:latest'

export interface Service {
  /** Set while tests run. */
  readonly address: string
}

export interface DockerService extends Service {
  readonly client: Docker
  /** The server's environment for an engine that uses it. */
  readonly environment: Record<string, string>
  /** Containers that are there, by what they were asked for. */
  labelled(label: string): Promise<Docker.ContainerInfo[]>
}

/** Starts a service before the tests of a `describe`, which are skipped, to be seen, where it cannot run. */
export function service(name: string, environment: Record<string, string> = {}): Service {
  const script = join(SCRIPTS, `${name}.sh`)
  let address: string | undefined
  before(async function () {
    this.timeout(STARTING_MS)
    if (!existsSync(script)) return this.skip()
    const started = await run(script, ['status']).then(
      () => false,
      () => true
    )
    try {
      const { stdout } = await run(script, ['start'], { env: { ...process.env, ...environment } })
      address = stdout.trim().split('\n').at(-1)
      // The last of all hooks, for it is added last: what tests clean up, they clean up in a service that still runs.
      if (started) this.test?.parent?.afterAll(stop)
    } catch (error) {
      if ((error as { code?: number }).code === 3) return this.skip()
      throw error
    }
  })
  async function stop(this: Mocha.Context): Promise<void> {
    this.timeout(STARTING_MS)
    await run(script, ['stop'])
  }
  return {
    get address() {
      if (address !== undefined) return address
      throw new Error(`${name} is up in tests only`)
    }
  }
}

/** With a bridge of its own: ports and networks work. */
export function dockerService(): DockerService {
  const engine = service('docker', { DOCKER_BRIDGE: '1' })
  let client: Docker | undefined
  return {
    get address() {
      return engine.address
    },
    get environment() {
      return { PATH: process.env.PATH ?? '/usr/bin:/bin', DOCKER_HOST: engine.address }
    },
    get client() {
      client ??= new Docker(connectionOptions({ DOCKER_HOST: engine.address }))
      return client
    },
    labelled(label) {
      return this.client.listContainers({ all: true, filters: JSON.stringify({ label: [label] }) })
    }
  }
}

/** User `alice`, password `s3cret`. */
export const registryService = (): Service => service('registry')
