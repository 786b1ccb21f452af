/** Mail about runs and steps: when, to whom, what is in it; none of it decides a status. Source: execution-semantics 14.3, 3.3, 14.4.9. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { type MailServer, mailServer, rowsIn } from '../../support/executors/mail-server.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('mail about runs', () => {
  const live = liveEngine()
  let server: MailServer
  before(async () => {
    server = await mailServer()
  })
  beforeEach(() => {
    server.arrived.length = 0
  })
  after(() => server.close())
  const smtp = () => `smtp: {host: 127.0.0.1, port: "${server.port}"}`
  const targets =
    'errorMail: {from: e@x.test, to: [ops@x.test, dev@x.test], prefix: "[Error]"}\ninfoMail: {from: i@x.test, to: info@x.test}'
  const both = () => `${smtp()}\n${targets}\nmailOn: {failure: true, success: true}`
  it('14.3.1, 14.3.3 a failed run: errorMail to its recipients, `<prefix> <DAG name> (<status label>)`', async () => {
    const run = await live.run(`${both()}\nname: bad\nsteps: [exit 3]`, { name: 'bad' })
    expect(run.status).to.equal('failed')
    expect(server.arrived.map(({ from, to, subject }) => [from, to, subject])).to.deep.equal([
      ['e@x.test', ['ops@x.test', 'dev@x.test'], '[Error] bad (failed)']
    ])
  })
  it('14.3.1, 14.3.3 a run that succeeded: infoMail; an empty prefix leaves no blank', async () => {
    await live.run(`${both()}\nname: good\nsteps: [echo a]`)
    expect(server.arrived.map(({ to, subject }) => [to, subject])).to.deep.equal([
      [['info@x.test'], 'good (succeeded)']
    ])
  })
  it('14.3.4 run id, name, params, started, finished, status, then a table of the nodes; html is escaped', async () => {
    const run = await live.run(`${both()}
name: page
params: [{WHO: "<b>you</b>"}]
handlerOn: {exit: echo bye}
steps:
  - {name: one, command: 'echo "a & b"'}
  - {name: two, command: 'echo oh >&2; exit 3'}
  - {name: three, command: echo never}`)
    const [mail] = server.arrived
    const html = mail?.html ?? ''
    const fact = (name: string) => new RegExp(`<th align="left">${name}</th><td>(.*?)</td>`).exec(html)?.[1] ?? 'none'
    expect(['Run ID', 'Name', 'Params', 'Status'].map(fact)).to.deep.equal([
      run.run.dagRunId,
      'page',
      'WHO=&lt;b&gt;you&lt;/b&gt;',
      'failed'
    ])
    expect([fact('Started At'), fact('Finished At')].every((text) => ISO.test(text))).to.equal(true)
    expect(fact('Finished At')).to.equal(new Date(run.run.finishedAt ?? 0).toISOString())
    const [headings, one, two, three, exit] = rowsIn(html)
    expect(headings).to.deep.equal(['#', 'Step', 'Started At', 'Finished At', 'Status', 'Command', 'Error'])
    expect(one?.filter((_, index) => index !== 2 && index !== 3)).to.deep.equal([
      '1',
      'one',
      'succeeded',
      'echo &quot;a &amp; b&quot;',
      ''
    ])
    expect(one?.slice(2, 4).every((text) => ISO.test(text))).to.equal(true)
    expect(two?.[4]).to.equal('failed')
    expect(two?.[6]).to.match(/^failed to execute step &quot;two&quot;: exit status 3<br>/)
    expect(three).to.deep.equal(['3', 'three', '', '', 'canceled', 'echo never', 'upstream failed'])
    expect(exit?.slice(0, 2)).to.deep.equal(['4', 'onExit'])
  })
  it('14.3.5 attachLogs: the stdout log of every node, text/plain; missing or empty files skipped', async () => {
    const run = await live.run(`${smtp()}
mailOn: {failure: true}
errorMail: {from: e@x.test, to: ops@x.test, attachLogs: true}
steps: [{name: full, command: echo hello}, {name: empty, command: "true"}, {name: bad, command: echo x; exit 1}, {name: none, command: echo y}]`)
    expect(run.status).to.equal('failed')
    expect(server.arrived[0]?.attachments).to.deep.equal([
      { name: 'full.out', type: 'text/plain', text: 'hello\n' },
      { name: 'bad.out', type: 'text/plain', text: 'x\n' }
    ])
  })
  it('14.3.2 mailOnError: subject says running; the mail is out before the run ends, dependents do not wait', async () => {
    const run = await live.run(`${smtp()}
name: steps
errorMail: {from: e@x.test, to: ops@x.test}
steps:
  - {name: a, command: exit 1, mailOnError: true, continueOn: {failure: true}}
  - {name: b, command: echo b}`)
    expect(run.status).to.equal('partially_succeeded')
    expect(server.arrived.map(({ subject }) => subject)).to.deep.equal(['steps (running)'])
    expect(rowsIn(server.arrived[0]?.html ?? '')[1]?.slice(1, 2)).to.deep.equal(['a'])
    expect(textOf(run.run.log)).to.match(/msg="mail sent" mail=error step=a to=ops@x\.test|step=a to="ops@x\.test"/)
  })
  it('3.3 texts see DAG env, params, dotenv, secrets and the environment of the server; smtp runs backticks', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, '.env'), 'DOT=dotted\n')
    writeFileSync(join(folder, 'port'), String(server.port))
    writeFileSync(join(folder, 'host'), '127.0.0.1\n')
    const run = await live.run(
      `workingDir: ${folder}
name: texts
env: [{FROM: from@x.test}]
params: "TO=to@x.test"
secrets: [{name: HOST, provider: file, key: host}]
smtp: {host: "\${HOST}", port: "\`cat ${folder}/port\`"}
infoMail: {from: "\${FROM}", to: "\${TO}, second@x.test", prefix: "\${DOT} \${HOME} \`echo no\` \${DAG_NAME}:"}
mailOn: {success: true}
steps: [echo a]
`
    )
    expect(textOf(run.run.log)).to.include('mail sent')
    const [mail] = server.arrived
    expect([mail?.from, mail?.to]).to.deep.equal(['from@x.test', ['to@x.test', 'second@x.test']])
    expect(mail?.subject).to.equal(`dotted ${process.env.HOME} \`echo no\` texts: texts (succeeded)`)
  })
  it('14.4.9 secrets are masked in subject, page and logs', async () => {
    const folder = temporaryFolder()
    const secret = 'canary-5e9b1c77'
    writeFileSync(join(folder, 'token'), secret)
    await live.run(
      `workingDir: ${folder}
params: "P=${secret}"
secrets: [{name: TOKEN, provider: file, key: token}]
${smtp()}
errorMail: {from: e@x.test, to: ops@x.test, prefix: "\${TOKEN}", attachLogs: true}
mailOn: {failure: true}
steps: [{name: a, command: 'echo "$TOKEN"; echo "$TOKEN" >&2; exit 1'}, {name: b, command: "echo ${secret}"}]`,
      { name: 'masked' }
    )
    const [mail] = server.arrived
    expect(mail?.subject).to.equal('******* masked (failed)')
    expect(mail?.attachments).to.deep.equal([{ name: 'a.out', type: 'text/plain', text: '*******\n' }])
    expect(mail?.html).to.include('P=*******').and.include('echo *******').and.not.include(secret)
    expect(mail?.raw).not.to.include(secret)
  })
  it('14.3.6 a mail server that is down, and no recipients: logged only, status unaffected', async () => {
    const down = await live.run(
      `smtp: {host: 127.0.0.1, port: 1}\n${targets}\nmailOn: {failure: true}\nsteps: [{name: a, command: exit 1, mailOnError: true}]`
    )
    expect(down.status).to.equal('failed')
    expect(textOf(down.run.log).match(/mail was not sent.*ECONNREFUSED/g)).to.have.length(2)
    const nobody = await live.run(
      `${smtp()}\ninfoMail: {from: a@x.test, to: "$NOBODY"}\nmailOn: {success: true}\nsteps: [echo a]`
    )
    expect(nobody.status).to.equal('succeeded')
    expect(textOf(nobody.run.log)).to.include('no valid recipients specified in infoMail.to')
  })
  it('14.3.6 a recipient or a sender that is no address: nothing is sent, and the run log names it', async () => {
    const mailOn = 'mailOn: {success: true}\nsteps: [echo a]'
    const team = await live.run(
      `${smtp()}\ninfoMail: {from: a@x.test, to: ["b@x.test\\nc@x.test", "\${ON_CALL}ops-team"]}\n${mailOn}`
    )
    const robot = await live.run(`${smtp()}\ninfoMail: {from: robot, to: b@x.test}\n${mailOn}`)
    expect([team.status, robot.status, server.arrived]).to.deep.equal(['succeeded', 'succeeded', []])
    const why = 'level=WARN msg="mail was not sent" mail=info reason="'
    expect(textOf(team.run.log)).to.include(`${why}infoMail.to: \\"ops-team\\" is no address; wanted name@domain`)
    expect(textOf(robot.run.log)).to.include(`${why}infoMail.from: \\"robot\\" is no address`)
    const both = await live.run(`${smtp()}\ninfoMail: {from: a@x.test, to: "b@x.test\\nc@x.test d@x.test"}\n${mailOn}`)
    expect(server.arrived.map(({ to }) => to)).to.deep.equal([['b@x.test', 'c@x.test', 'd@x.test']])
    expect(textOf(both.run.log)).to.include('msg="mail sent" mail=info to="b@x.test, c@x.test, d@x.test"')
  })
  it('7.3.6 force gives up a mail whose server does not answer, a stop does not; the status stays', async () => {
    const mute = createServer(() => {})
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    const { port } = mute.address() as { port: number }
    const connected = new Promise((resolve) => mute.once('connection', resolve))
    const key = await live.start(
      `smtp: {host: 127.0.0.1, port: ${port}}\n${targets}\nmailOn: {success: true}\nsteps: [echo a]`
    )
    await connected
    await live.engine.stop(key)
    expect(live.engine.record(key)?.status).to.equal('running')
    await live.engine.stop(key, { force: true })
    const run = await live.ended(key)
    expect(run.status).to.equal('succeeded')
    const said = /mail was not sent" mail=info reason="the run was ended by force"/
    await eventually('the line in the run log', () => said.test(textOf(run.run.log)) || undefined)
    mute.close()
  })
  it('14.3.8 sub runs send their own mail by their own definition', async () => {
    await live.run(`name: outer
smtp: {host: 127.0.0.1, port: "1"}
steps: [{call: inner}]
---
name: inner
${both()}
steps: [echo a]`)
    expect(server.arrived.map(({ subject }) => subject)).to.deep.equal(['inner (succeeded)'])
  })
})
