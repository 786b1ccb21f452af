/** The mail executor against a real SMTP server, with STARTTLS and AUTH. Source: execution-semantics 10.6. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { systemClock } from '../../../src/clock.ts'
import { mail } from '../../../src/executors/mail/mail.ts'
import { htmlOf } from '../../../src/executors/mail/message.ts'
import { selfSigned } from '../../support/auth/certificates.ts'
import { benchFor } from '../../support/executors/executions.ts'

interface Arrived {
  from: string
  to: string[]
  user: string
  secure: boolean
  raw: string
}

/** Body of the first part with that type, decoded. */
function part(raw: string, type: string): string {
  const [, , content = ''] =
    new RegExp(`Content-Type: (${type}[^]*?)\\r\\n\\r\\n([A-Za-z0-9+/=\\r\\n]*)`).exec(raw) ?? []
  return Buffer.from(content, 'base64').toString('utf8')
}

describe('mail executor', () => {
  const pair = selfSigned('localhost')
  const bench = benchFor((work) => mail(work, systemClock, { ca: pair.cert }))
  const servers: SMTPServer[] = []
  let arrived: Arrived[] = []
  beforeEach(() => {
    arrived = []
  })
  after(() => Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())))))

  async function listen({ port = 0, ...options }: SMTPServerOptions & { port?: number } = {}): Promise<number> {
    const server = new SMTPServer({
      key: pair.key,
      cert: pair.cert,
      authOptional: true,
      onAuth({ username, password, method }, _, done) {
        if (username === 'me' && password === 'secret' && method === 'PLAIN') done(null, { user: username })
        else done(new Error('wrong name or password'))
      },
      onData(stream, session, done) {
        let raw = ''
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          raw += chunk
        })
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope
          arrived.push({
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
            user: session.user || '',
            secure: session.secure,
            raw
          })
          done()
        })
      },
      ...options
    })
    servers.push(server)
    server.listen(port, '127.0.0.1')
    await once(server.server, 'listening')
    server.on('error', () => {}) // a client that hangs up
    return (server.server.address() as AddressInfo).port
  }
  let port = 0
  before(async () => {
    port = await listen()
  })
  const smtp = (wish: { port?: number; username?: string; password?: string; host?: string } = {}) => ({
    host: '127.0.0.1',
    username: '',
    password: '',
    ...wish,
    port: String(wish.port ?? port)
  })
  const config = { from: 'Me <me@x.test>', to: 'you@x.test', subject: 'Grüße', message: 'one\ntwo' }

  it('10.6.3: stdout has the block and `sending email succeed.`', async () => {
    const { exitCode, out, err } = await bench.run({ smtp: smtp(), config })
    expect([exitCode, err]).to.deep.equal([0, ''])
    expect(out).to.equal(
      'sending email\n-----\nfrom: Me <me@x.test>\nto: you@x.test\nsubject: Grüße\nmessage: one\ntwo\n-----\nsending email succeed.\n'
    )
  })
  it('10.6.4: multipart/mixed with an html part, base64, UTF-8; newlines become <br />', async () => {
    await bench.run({ smtp: smtp(), config: { ...config, message: 'größer\nals' } })
    const [{ raw } = {} as Arrived] = arrived
    expect(raw)
      .to.match(/^Content-Type: multipart\/mixed;/m)
      .and.match(/^Content-Transfer-Encoding: base64/m)
    expect(raw).to.match(/^Content-Type: text\/html; charset=utf-8/m)
    expect(part(raw, 'text/html')).to.equal('größer<br />als')
    expect(raw)
      .to.match(/^Subject: =\?UTF-8\?Q\?Gr=C3=BC=C3=9Fe\?=/m)
      .and.match(/^Date: /m)
      .and.match(/^Message-ID: /m)
  })
  it('10.6.4: an html document and a text with contentType keep their newlines', async () => {
    expect(htmlOf('<!DOCTYPE HTML>\n<p>')).to.equal('<!DOCTYPE HTML>\n<p>')
    expect(htmlOf('a\r\nb\n')).to.equal('a<br />b<br />')
    await bench.run({ smtp: smtp(), config: { ...config, contentType: 'text/plain' } })
    expect(part(arrived[0]?.raw ?? '', 'text/plain')).to.equal('one\ntwo')
  })
  it('10.6.2: several recipients, as a list or with commas; none is an error', async () => {
    await bench.run({ smtp: smtp(), config: { ...config, to: ['a@x.test', '', 'B <b@x.test>, "C, D" <c@x.test>'] } })
    expect(arrived[0]?.to).to.deep.equal(['a@x.test', 'b@x.test', 'c@x.test'])
    for (const to of ['', [], [' , ', '\n;']]) {
      const { exitCode, err } = await bench.run({ smtp: smtp(), config: { ...config, to } })
      expect([exitCode, err]).to.deep.equal([1, 'no valid recipients specified\n'])
    }
  })
  it('10.6.2: a blank or a line break between addresses separates them as a comma does; nothing is glued together', async () => {
    const texts = ['b@x.test c@x.test', 'b@x.test\nc@x.test\n', 'b@x.test\r\n\r\nc@x.test', 'b@x.test;\tc@x.test ;']
    for (const to of texts) await bench.run({ smtp: smtp(), config: { ...config, to } })
    expect(arrived.map(({ to }) => to)).to.deep.equal(texts.map(() => ['b@x.test', 'c@x.test']))
  })
  it('10.6.2: what is no address fails the step by name, before anything is sent', async () => {
    const wrong: [to: string[], named: string][] = [
      [['b@x.test', 'ops-team'], '"ops-team" is no address'],
      [['b@x.test|c@x.test'], '"b@x.test|c@x.test" is no address'],
      [['a@x.test', '<b@x.test', 'c@'], '"<b@x.test", "c@" are no addresses']
    ]
    for (const [to, named] of wrong) {
      const { exitCode, out, err } = await bench.run({ smtp: smtp(), config: { ...config, to } })
      expect([exitCode, out]).to.deep.equal([1, ''])
      expect(err).to.include(`config.to: ${named}; wanted name@domain`)
    }
    expect(arrived).to.deep.equal([])
  })
  it('10.6.2: one sender, and an address', async () => {
    const senders: [from: string, told: string][] = [
      ['', 'config.from: wanted one address, found none'],
      ['robot', 'config.from: "robot" is no address'],
      ['a@x.test\nb@x.test', 'config.from: wanted one address, found 2']
    ]
    for (const [from, told] of senders)
      expect((await bench.run({ smtp: smtp(), config: { ...config, from } })).err).to.include(told)
    expect(arrived).to.deep.equal([])
  })
  it('10.6.2: groups, quoted names, comments and international domains reach the mail server as what they say', async () => {
    const to = 'Team: a@x.test, "B, C" <b@x.test>; "d,d"@x.test (the, other)\nGrün <g@grün.test>'
    const { exitCode, out, err } = await bench.run({ smtp: smtp(), config: { ...config, to } })
    expect([exitCode, err]).to.deep.equal([0, ''])
    expect(arrived[0]?.to).to.deep.equal(['a@x.test', 'b@x.test', '"d,d"@x.test', 'g@grün.test']) // as the server reads xn--grn-hoa.test
    expect(arrived[0]?.raw).to.match(/^To: a@x\.test, "B, C" <b@x\.test>,/m)
    expect(out).to.include('to: a@x.test, "B, C" <b@x.test>, "d,d"@x.test (the, other), Grün <g@grün.test>\n')
  })
  it('10.6.1: without smtp: `smtp is not configured`', async () => {
    expect(await bench.run({ config })).to.include({ exitCode: 1, err: 'smtp is not configured\n' })
    expect((await bench.run({ config, smtp: smtp({ host: '' }) })).err).to.include('smtp is not configured')
  })
  it('10.6.5: attachments are sent; a missing or empty one is skipped with a warning', async () => {
    writeFileSync(join(bench.folder, 'report.txt'), 'the report')
    writeFileSync(join(bench.folder, 'empty.txt'), '')
    const attachments = ['report.txt', '~/missing.txt', 'empty.txt']
    const { exitCode, err } = await bench.run({ smtp: smtp(), config: { ...config, attachments } })
    expect(exitCode).to.equal(0)
    expect(err).to.include(`attachment ${join(homedir(), 'missing.txt')} is skipped`) // 3.1.9
    expect(err).to.match(
      /missing\.txt is skipped: there is no such file\nattachment .*empty\.txt is skipped: it is empty\n$/
    )
    const raw = arrived[0]?.raw ?? ''
    expect(raw).to.match(/Content-Disposition: attachment; filename=report\.txt/)
    expect(part(raw, 'text/plain')).to.equal('the report')
    expect(raw).not.to.include('missing.txt')
  })
  it('an attachment that is a pipe is skipped like one that is empty, whether anybody writes to it or not', async () => {
    execFileSync('mkfifo', [join(bench.folder, 'pipe')])
    const { exitCode, err } = await bench.run({ smtp: smtp(), config: { ...config, attachments: ['pipe'] } })
    expect([exitCode, arrived.length]).to.deep.equal([0, 1])
    expect(err).to.match(/pipe is skipped: it is no file\n$/)
  })
  it('10.6.6: a line break in subject, content type, from or to puts in no header and no recipient', async () => {
    const evil = '\r\nBcc: spy@x.test\r\n\r\nbody'
    const wrong = { from: `me@x.test${evil}`, to: `you@x.test${evil}` }
    for (const [field, text] of Object.entries(wrong)) {
      const { exitCode, err } = await bench.run({ smtp: smtp(), config: { ...config, [field]: text } })
      expect(exitCode).to.equal(1)
      expect(err).to.include(`config.${field}: "Bcc:", "body" are no addresses`).and.include('nothing was sent')
    }
    expect(arrived).to.deep.equal([])
    await bench.run({
      smtp: smtp(),
      config: {
        from: `"Me${evil}" <me@x.test>`,
        to: `"You${evil}" <you@x.test>`,
        subject: `s${evil}`,
        contentType: `text/plain${evil}`
      }
    })
    const [{ raw, to } = {} as Arrived] = arrived
    expect([arrived.length, to]).to.deep.equal([1, ['you@x.test']])
    expect(raw).not.to.match(/^Bcc:/m)
  })

  it('10.6.6: STARTTLS whenever it is offered, without a login too', async () => {
    await bench.run({ smtp: smtp(), config })
    expect(arrived[0]).to.include({ secure: true, user: '', from: 'me@x.test' })
  })
  it('10.6.6: AUTH PLAIN when a name or password is set', async () => {
    await bench.run({ smtp: smtp({ username: 'me', password: 'secret' }), config })
    expect(arrived[0]).to.include({ secure: true, user: 'me' })
  })
  it('10.6.3: a failure: `error occurred.` and the reason on stderr, exit code 1, no password', async () => {
    const { exitCode, out, err } = await bench.run({ smtp: smtp({ username: 'me', password: 'wrong-pass' }), config })
    expect(exitCode).to.equal(1)
    expect(out).not.to.include('succeed')
    expect(err)
      .to.match(/^error occurred\.\n127\.0\.0\.1:\d+: .*wrong name or password/)
      .and.not.include('wrong-pass')
  })
  it('10.6.6: an untrusted certificate is refused', async () => {
    const stranger = benchFor((work) => mail(work, systemClock))
    const { exitCode, err } = await stranger.run({ smtp: smtp(), config })
    expect([exitCode, arrived.length]).to.deep.equal([1, 0])
    expect(err).to.match(/self.signed certificate/)
  })
  it('a server without TLS gets the mail, and a password only on this machine', async () => {
    const plain = await listen({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true })
    await bench.run({ smtp: smtp({ port: plain }), config })
    await bench.run({ smtp: smtp({ port: plain, username: 'me', password: 'secret' }), config })
    expect(arrived.map(({ secure, user }) => [secure, user])).to.deep.equal([
      [false, ''],
      [false, 'me']
    ])
  })
  it('10.6.6: implicit TLS on port 465', async function () {
    let other: number
    try {
      other = await listen({ secure: true, port: 465 })
    } catch {
      return this.skip() // not ours to listen on
    }
    await bench.run({ smtp: smtp({ port: other, username: 'me', password: 'secret' }), config })
    expect(arrived[0]).to.include({ secure: true, user: 'me' })
  })
  it('a recipient that the server refuses fails the step by name; the others get the mail', async () => {
    const choosy = await listen({
      onRcptTo: ({ address }, _, done) => done(address.startsWith('no') ? new Error('unknown') : undefined)
    })
    const { exitCode, err } = await bench.run({
      smtp: smtp({ port: choosy }),
      config: { ...config, to: 'a@x.test, no@x.test' }
    })
    expect([exitCode, arrived[0]?.to]).to.deep.equal([1, ['a@x.test']])
    expect(err).to.include('refused for no@x.test')
  })
  it('a port that is none is refused by name', async () => {
    const { err } = await bench.run({ smtp: { ...smtp(), port: 'x' }, config })
    expect(err).to.include('smtp.port: wanted a number from 1 to 65535, found "x"')
  })
  it('a server that is not there, and one that never answers: an error, and a stop that ends the wait', async () => {
    expect((await bench.run({ smtp: smtp({ port: 1 }), config })).err).to.include('ECONNREFUSED')
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { running, outcome } = bench.start({ smtp: smtp({ port: (silent.address() as AddressInfo).port }), config })
    await once(silent, 'connection')
    running.stop('SIGTERM')
    expect(await outcome).to.include({ exitCode: -1, signal: 'terminated' })
    silent.close()
  })
})
