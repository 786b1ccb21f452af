/** Reads a private key file; an error says what was wanted, what was found, and how to fix it. Source: execution-semantics 10.3.2. */
import { userInfo } from 'node:os'
import { codeOf } from '../../errors.ts'
import { reasonOf } from '../../platform/make-folder.ts'
import { shellWord } from '../../platform/shell/shell-word.ts'
import { readNamed } from '../frame/named-file.ts'
import { fingerprint, keyType } from './known-hosts.ts'

export interface KeyFile {
  privateKey: Buffer
  /** For messages: the name of the key, and the command that shows its public half. */
  keyName: string
  keyShownBy: string
}

/** @throws Error whose cause is that of the file system */
export async function readKey(path: string): Promise<KeyFile> {
  const content = await readNamed(path).catch((cause) => {
    throw new Error(`the ssh key ${path} cannot be read: ${unreadable(cause)}`, { cause })
  })
  const { utils } = (await import('ssh2')).default
  const parsed = utils.parseKey(content)
  // The first of several keys in a file is used.
  const first = Array.isArray(parsed) ? parsed[0] : parsed
  if (first instanceof Error) throw new Error(complaintAbout(content, path, first.message))
  if (!first.isPrivateKey())
    throw new Error(
      `${path} holds a public ssh key; wanted the private one, which is usually beside it, without .pub in its name`
    )
  const shown = first.getPublicSSH()
  const keyName = `key ${path} (${keyType(shown)} ${fingerprint(shown)})`
  return { privateKey: content, keyName, keyShownBy: `ssh-keygen -y -f ${shellWord(path)}` }
}

/** Why a file cannot be read. */
export function unreadable(error: unknown): string {
  if (codeOf(error) === 'ENOENT') return 'there is no such file'
  if (codeOf(error) === 'EACCES') return `permission denied to ${userInfo().username}, as whom the engine runs`
  return reasonOf(error)
}

function complaintAbout(content: Buffer, path: string, reason: string): string {
  const text = content.toString('latin1')
  const quoted = shellWord(path)
  const isOfPutty = /^PuTTY-User-Key-File-/.test(text)
  if (/passphrase|encrypted/i.test(reason) || /^-----BEGIN ENCRYPTED PRIVATE KEY-----/m.test(text))
    return (
      `the ssh key ${path} has a passphrase, which cannot be entered here; use a key without one: ` +
      (isOfPutty ? byPuttygen(quoted) : `ssh-keygen -p -N '' -f ${quoted} takes it away`)
    )
  const wanted = 'wanted a private key in the form of OpenSSH, or PEM (-----BEGIN RSA PRIVATE KEY-----)'
  return `${path} is no ssh key that can be read: ${wanted}, found ${found()}`

  function found(): string {
    if (text.trim() === '') return 'an empty file'
    if (isOfPutty) return `one in the form of PuTTY; ${byPuttygen(quoted)}`
    if (/^-----BEGIN PRIVATE KEY-----/m.test(text))
      return `one in the form of PKCS #8; ssh-keygen -p -N '' -f ${quoted} converts RSA and ECDSA keys; for others make a new one`
    const [, what] = /^-----BEGIN ([A-Z0-9 ]+)-----/m.exec(text) ?? []
    if (what === undefined) return 'something else'
    return `one that begins with -----BEGIN ${what}-----, and is damaged or of a kind that is not understood (${reason})`
  }
}

const byPuttygen = (quoted: string): string => `puttygen ${quoted} -O private-openssh -o <file> converts it`
