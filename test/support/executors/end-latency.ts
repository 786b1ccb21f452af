/** How long a Docker engine or an ssh server itself takes to end something, so that a slow machine is not taken for a slow Troupe. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type Docker from 'dockerode'
import type { SshTarget } from '../../../machines/vocabulary.ts'
import { IMAGE } from './docker.ts'

const DEAF = ['sh', '-c', 'trap "" TERM; while true; do sleep 1; done']

async function took(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Kills and removes a container, ms. */
export async function containerEndMs(docker: Docker): Promise<number> {
  const container = await docker.createContainer({ Image: IMAGE, Cmd: DEAF, HostConfig: { Init: true } })
  await container.start()
  return took(async () => {
    const ended = container.wait()
    await container.kill()
    await ended
    await container.remove({ force: true })
  })
}

/** Runs a command in a container, ms. */
export async function commandInsideMs(docker: Docker): Promise<number> {
  const container = await docker.createContainer({ Image: IMAGE, Cmd: DEAF, HostConfig: { Init: true } })
  try {
    await container.start()
    return await took(async () => {
      const command = await container.exec({ Cmd: ['true'], AttachStdout: true })
      const stream = await command.start({ hijack: false, stdin: false })
      for await (const _ of stream.resume());
      await command.inspect()
    })
  } finally {
    await container.remove({ force: true })
  }
}

/** Logs in and runs a command, ms. */
export function remoteCommandMs({ user, host, port, key, knownHostFile }: SshTarget): Promise<number> {
  const options = ['-i', key ?? '', '-p', port, '-o', `UserKnownHostsFile=${knownHostFile}`, '-o', 'BatchMode=yes']
  return took(() => promisify(execFile)('ssh', [...options, `${user}@${host}`, 'true']))
}
