/** By what the engine logs in. Source: execution-semantics 10.3.2. */
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync as generateKeys } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import ssh2 from 'ssh2'
import type { SshTarget } from '../../../machines/vocabulary.ts'
import { credentialsOf } from '../../../src/executors/ssh/credentials.ts'
import { privateKey } from '../../support/executors/ssh-keys.ts'
import { temporaryFolder } from '../../support/homes.ts'

const { generateKeyPairSync } = ssh2.utils
const target = (given: Partial<SshTarget> = {}): SshTarget => ({
  user: 'u',
  host: 'h',
  port: '22',
  strictHostKey: true,
  ...given
})
const refused = (given: Partial<SshTarget>, home = temporaryFolder()): Promise<string> =>
  credentialsOf(target(given), home).then(
    () => 'accepted',
    (error: Error) => error.message
  )

/** A home with keys in `.ssh`. */
function homeWith(keys: Record<string, string>): string {
  const home = temporaryFolder()
  mkdirSync(join(home, '.ssh'))
  for (const [name, key] of Object.entries(keys)) writeFileSync(join(home, '.ssh', name), key)
  return home
}

describe('ssh › 10.3.2 login', () => {
  const first = privateKey()
  const second = privateKey()
  const home = homeWith({ id_ecdsa: first, id_ed25519: second, other: second })
  const other = join(home, '.ssh', 'other')

  it('the `key` file, before a password', async () => {
    const found = await credentialsOf(target({ key: other, password: 'p' }), home)
    expect([found.privateKey?.toString(), found.password]).to.deep.equal([second, undefined])
  })
  it('without a key and a password the first of id_rsa, id_ecdsa, id_ed25519, id_dsa that exists', async () => {
    expect((await credentialsOf(target(), home)).privateKey?.toString()).to.equal(first)
  })
  it('else the password, and then no key of the home', async () => {
    const found = await credentialsOf(target({ password: 'p' }), home)
    expect(found).to.deep.equal({ user: 'u', host: 'h', port: 22, password: 'p' })
  })
  it('a key with passphrase is an error, also one of the usual ones', async () => {
    const locked = privateKey('x')
    const place = homeWith({ id_rsa: locked })
    const key = join(place, '.ssh', 'id_rsa')
    expect(await refused({ key })).to.include(`the ssh key ${key} has a passphrase`)
    expect(await refused({}, place)).to.include(`use a key without one: ssh-keygen -p -N '' -f ${key} takes it away`)
    const cipher = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const
    writeFileSync(key, generateKeys('rsa', { modulusLength: 2_048 }).privateKey.export(cipher))
    expect(await refused({ key })).to.include(`the ssh key ${key} has a passphrase`)
  })
  it('no key and no password: an error that names the tried files', async () => {
    const empty = temporaryFolder()
    const tried = ['id_rsa', 'id_ecdsa', 'id_ed25519', 'id_dsa'].map((name) => join(empty, '.ssh', name)).join(', ')
    expect(await refused({}, empty)).to.include(`no ssh key and no password are given, and there is none of ${tried}`)
  })
  it('a key that is missing, public or no key is named, with what is there and how to fix it', async () => {
    const place = homeWith({
      public: generateKeyPairSync('ed25519').public,
      text: 'no key',
      empty: '\n',
      pkcs8: generateKeys('rsa', { modulusLength: 2_048 })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
      'of putty': 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n',
      half: first.slice(0, 150)
    })
    const at = (name: string) => join(place, '.ssh', name)
    const wanted = 'wanted a private key in the form of OpenSSH, or PEM (-----BEGIN RSA PRIVATE KEY-----), found'
    const none = `the ssh key ${at('none')} cannot be read: there is no such file`
    expect(await refused({ key: at('none') })).to.equal(none)
    expect(await refused({ key: at('text/below') })).to.include('cannot be read: a part of its path is no folder')
    expect(await refused({ key: at('public') })).to.include('holds a public ssh key; wanted the private one')
    expect(await refused({ key: at('text') })).to.equal(
      `${at('text')} is no ssh key that can be read: ${wanted} something else`
    )
    expect(await refused({ key: at('empty') })).to.include(`${wanted} an empty file`)
    expect(await refused({ key: at('half') })).to.include(
      `${wanted} one that begins with -----BEGIN OPENSSH PRIVATE KEY-----, and is damaged`
    )
    expect(await refused({ key: at('of putty') })).to.include(`puttygen '${at('of putty')}' -O private-openssh`)
    const [, mends = ''] = /(ssh-keygen .*) converts RSA/.exec(await refused({ key: at('pkcs8') })) ?? []
    chmodSync(at('pkcs8'), 0o600)
    execFileSync('sh', ['-c', mends])
    expect(await refused({ key: at('pkcs8') })).to.equal('accepted')
  })
  it('a pipe, a device and a folder are no key, and are not waited for', async () => {
    const place = temporaryFolder()
    const pipe = join(place, 'pipe')
    execFileSync('mkfifo', [pipe])
    expect(await refused({ key: pipe })).to.equal(`the ssh key ${pipe} cannot be read: it is no file`)
    expect(await refused({ key: '/dev/zero' })).to.match(/^the ssh key .dev.zero cannot be read: it is no file/)
    expect(await refused({ key: place })).to.equal(`the ssh key ${place} cannot be read: it is a folder`)
  })
  it("port is a number up to 65535; without a user it is the engine's own", async () => {
    for (const port of ['x', '0', '65536', '']) expect(await refused({ port })).to.include(`found "${port}"`)
    expect((await credentialsOf(target({ user: '' }), home)).user).to.equal(userInfo().username)
    expect(await refused({ host: ' ' })).to.equal('ssh host is required')
  })
})
