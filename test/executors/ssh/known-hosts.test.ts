/** Known keys of machines. Source: execution-semantics 10.3.3; reliability R17. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import ssh2 from 'ssh2'
import { complaintAbout, fingerprint, keysFor, keyType } from '../../../src/executors/ssh/known-hosts.ts'

const publicKey = (): { key: Buffer; base64: string } => {
  const [, base64 = ''] = ssh2.utils.generateKeyPairSync('ed25519').public.split(' ')
  return { key: Buffer.from(base64, 'base64'), base64 }
}
const one = publicKey()
const two = publicKey()
const hashed = (name: string): string => {
  const salt = Buffer.from('0123456789abcdefghij')
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`
}
const lines = (text: string, host: string, port = 22) => keysFor(text, host, port).map(({ line }) => line)
const line = (names: string) => `${names} ssh-ed25519 ${one.base64} somebody`

describe('ssh › known_hosts', () => {
  it('plain names, lists and letters of any case; comments, authorities and half lines say nothing', () => {
    const text = ['# h', line('h'), 'h ssh-ed25519', line('other,H'), `@cert-authority ${line('h')}`, ''].join('\n')
    expect(lines(text, 'h')).to.deep.equal([2, 4])
    expect(lines(text, 'OTHER')).to.deep.equal([4])
    expect(lines(text, 'o')).to.deep.equal([])
  })
  it('`[host]:port` for another port than 22, and only that', () => {
    const text = [line('h'), line('[h]:2222')].join('\n')
    expect(lines(text, 'h', 2222)).to.deep.equal([2])
    expect(lines(text, 'h', 22)).to.deep.equal([1])
  })
  it('hashed names, with a port and without', () => {
    const text = [line(hashed('h')), line(hashed('[h]:2222')), line('|1|x|y'), line('|1|bad')].join('\n')
    expect(lines(text, 'h')).to.deep.equal([1])
    expect(lines(text, 'h', 2222)).to.deep.equal([2])
  })
  it('patterns, and what they leave out', () => {
    const text = [line('*.example.org,!bad.example.org'), line('h?')].join('\n')
    expect(lines(text, 'a.example.org')).to.deep.equal([1])
    expect(lines(text, 'bad.example.org')).to.deep.equal([])
    expect(lines(text, 'h1')).to.deep.equal([2])
    expect(lines(text, 'h12')).to.deep.equal([])
    expect(lines(line(`${'*a'.repeat(40)}b`), 'a'.repeat(4_000))).to.deep.equal([])
  })

  const machine = { host: 'h', port: 2222, file: '/known' }
  const about = (text: string, key = one.key) => complaintAbout(key, keysFor(text, 'h', 2222), machine)
  it('a known key is no matter; among several one is enough', () => {
    const other = `[h]:2222 ssh-ed25519 ${two.base64}`
    expect(about(line('[h]:2222'))).to.equal(undefined)
    expect(about(`${other}\n${line('[h]:2222')}`)).to.equal(undefined)
  })
  it('an unknown key fails with its fingerprint and the way to accept it in the message', () => {
    const complaint = about('') ?? ''
    expect(complaint).to.include('the host key of [h]:2222 is not known: /known has no ssh-ed25519 key of it')
    expect(complaint).to.include(fingerprint(one.key))
    const [, accepted = ''] = /accept it: echo '([^']+)' >> \/known$/.exec(complaint) ?? []
    expect(about(accepted)).to.equal(undefined)
  })
  it('the way to accept it can be typed as it is, whatever the file is called', () => {
    expect(complaintAbout(one.key, [], { ...machine, file: '/my hosts' })).to.match(/ >> '\/my hosts'$/)
  })
  it('a changed key is distinguished from an unknown one', () => {
    const complaint = about(line('[h]:2222'), two.key) ?? ''
    expect(complaint).to.include('is not the known one: line 1 of /known').and.include(fingerprint(two.key))
    expect(complaint).to.include("ssh-keygen -R '[h]:2222' -f /known")
  })
  it('a revoked key is not trusted, whatever else the file says', () => {
    expect(about(`${line('[h]:2222')}\n@revoked ${line('[h]:2222')}`)).to.include('is revoked in line 2 of /known')
  })
  it('the type is read from the key, however damaged', () => {
    expect(keyType(one.key)).to.equal('ssh-ed25519')
    expect(keyType(Buffer.from([255, 255, 255, 255, 65]))).to.equal('A')
    expect(keyType(Buffer.alloc(0))).to.equal('')
  })
})
