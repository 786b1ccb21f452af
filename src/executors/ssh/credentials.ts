/** By what the engine logs in on another machine: a key file, one of the usual key files, or a password. Source: execution-semantics 10.3.2. */
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { SshTarget } from '../../../machines/vocabulary.ts'
import { readGiven } from '../given-file.ts'

/** Where to, as whom, and by what. In memory only. */
export interface Credentials {
  user: string
  host: string
  port: number
  privateKey?: Buffer
  password?: string
}

const USUAL_KEYS = ['id_rsa', 'id_ecdsa', 'id_ed25519', 'id_dsa']

/** @param target paths absolute; without a user it is the engine's own @throws Error that says what is missing, and where it was looked for */
export async function credentialsOf(target: SshTarget, home = homedir()): Promise<Credentials> {
  const { host, key, password } = target
  if (!host.trim()) throw new Error('ssh host is required')
  const port = Number(target.port)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`ssh port: wanted a number from 1 to 65535, found "${target.port}"`)
  const login = { user: target.user || userInfo().username, host: host.trim(), port }
  if (key) return { ...login, privateKey: await keyIn(key) }
  if (password) return { ...login, password }
  const usual = USUAL_KEYS.map((name) => join(home, '.ssh', name))
  for (const path of usual) {
    const privateKey = await keyIn(path).catch((error) => {
      if (isMissing(error)) return undefined
      throw error
    })
    if (privateKey) return { ...login, privateKey }
  }
  throw new Error(`no ssh key and no password are given, and there is none of ${usual.join(', ')}`)
}

const isMissing = (error: Error): boolean => (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'

async function keyIn(path: string): Promise<Buffer> {
  const content = await readGiven(path).catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`the ssh key ${path} cannot be read: ${cause.code ?? cause.message}`, { cause })
  })
  const { utils } = (await import('ssh2')).default
  const parsed = utils.parseKey(content)
  // Of several keys in one file the first counts.
  const first = Array.isArray(parsed) ? parsed[0] : parsed
  if (first instanceof Error) {
    if (/passphrase|encrypted/i.test(first.message))
      throw new Error(`the ssh key ${path} has a passphrase, which nobody is there to type; give a key without one`)
    throw new Error(`${path} is no ssh key that can be read: ${first.message}`)
  }
  if (!first.isPrivateKey()) throw new Error(`${path} holds a public ssh key; the private one is wanted`)
  return content
}
