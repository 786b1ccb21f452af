/** Credentials for a remote host: a key file, a default key file, or a password. Source: execution-semantics 10.3.2. */
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { SshTarget } from '../../../machines/vocabulary.ts'
import { codeOf } from '../../errors.ts'
import { type KeyFile, readKey } from './key-file.ts'

/** Host, user and credentials. In memory only. */
export interface Credentials extends Partial<KeyFile> {
  user: string
  host: string
  port: number
  password?: string
}

const USUAL_KEYS = ['id_rsa', 'id_ecdsa', 'id_ed25519', 'id_dsa']

/** @param target paths absolute; default user: the engine's own @throws Error that says what is missing, and where it was searched */
export async function credentialsOf(target: SshTarget, home = homedir()): Promise<Credentials> {
  const { host, key, password } = target
  if (!host.trim()) throw new Error('ssh host is required')
  const port = Number(target.port)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`ssh port: wanted a number from 1 to 65535, found "${target.port}"`)
  const login = { user: target.user || userInfo().username, host: host.trim(), port }
  if (key) return { ...login, ...(await readKey(key)) }
  if (password) return { ...login, password }
  const usual = USUAL_KEYS.map((name) => join(home, '.ssh', name))
  for (const path of usual) {
    const found = await readKey(path).catch((error) => {
      if (isMissing(error)) return undefined
      throw error
    })
    if (found) return { ...login, ...found }
  }
  throw new Error(
    `no ssh key and no password are given, and there is none of ${usual.join(', ')}; give \`key\` or \`password\``
  )
}

const isMissing = (error: Error): boolean => codeOf(error.cause) === 'ENOENT'
