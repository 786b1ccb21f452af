/** Real services for tests: a Docker engine and a private registry of their own, where the scripts that start them are available. */
import Docker from 'dockerode'
import { connectionOptions } from '../../../src/executors/docker/connection.ts'
import { type Service, service } from '../services.ts'

/** An image with a shell and nothing else. */
export const IMAGE = 'local/busybox:latest'

export interface DockerService extends Service {
  readonly client: Docker
  /** The server's environment for an engine that uses it. */
  readonly environment: Record<string, string>
  /** Containers that are there, by what they were asked for. */
  labelled(label: string): Promise<Docker.ContainerInfo[]>
}

export function dockerService(): DockerService {
  const engine = service('docker')
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
