/** Nobody reads what is hidden from them by calling it: neither by a text of theirs nor by a run that they start. Source: docs/authentication.md "Roles". */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { expect } from 'chai'
import { accessScene, as, MARK } from '../../../support/api/access-scene.ts'
import { oneIn } from '../../../support/long.ts'

/** `NAME` stands for what is called. */
const WAYS: Record<string, string> = {
  call: 'steps: [{name: go, call: NAME}]\n',
  run: 'steps: [{name: go, run: NAME}]\n',
  executor: 'steps: [{name: go, executor: dag, command: NAME}]\n',
  'with an extension': 'steps: [{name: go, call: NAME.yaml}]\n',
  parallel: 'steps: [{name: go, call: NAME, parallel: [a, b]}]\n',
  handler: 'handlerOn: {exit: {call: NAME}}\nsteps: [echo hi]\n',
  'a workflow of the same file': 'steps: [{name: go, call: kid}]\n---\nname: kid\nsteps: [{name: k, call: NAME}]\n'
}
/** What may lead to any definition. */
const OPEN_ENDED: Record<string, string> = {
  variable: 'params: "WHAT=NAME"\nsteps: [{name: go, call: "${WHAT}"}]\n',
  command: 'steps: [{name: go, call: "`echo NAME`"}]\n',
  path: 'steps: [{name: go, call: ./NAME.yaml}]\n'
}

describe('access › calls', () => {
  const { api, fileOf } = accessScene()
  const send = async (caller: string, method: string, path: string, body: object) => {
    const { status, json, text } = await api.call(method, path, as(caller, { body }))
    return { status, json, text }
  }
  const calling = (text: string, name: string) => text.replaceAll('NAME', name)
  const unnamed = (answer: { status: number; text: string }, name: string) =>
    `${answer.status} ${answer.text.replaceAll(name, 'X')}`
  /** Of a run that has ended: all that the API says of it, and of its sub runs. */
  async function allOf(caller: string, name: string, dagRunId: string): Promise<string> {
    await api.engine.result({ name, dagRunId })
    const at = `/dag-runs/${name}/${dagRunId}`
    const { json } = await api.call('GET', `${at}/sub-dag-runs`, as(caller))
    const subs: { dagRunId: string }[] = json.subRuns ?? []
    const paths = [
      '',
      '/outputs',
      '/log',
      '/log/merged',
      '/steps/go/log?stream=stderr',
      '/journal',
      '/actors',
      '/sequence',
      '/explain'
    ]
    const texts: string[] = []
    for (const path of paths) texts.push((await api.call('GET', `${at}${path}`, as(caller))).text)
    for (const sub of subs)
      texts.push((await api.call('GET', `${at}/sub-dag-runs/${sub.dagRunId}/log/merged`, as(caller))).text)
    return texts.join('\n')
  }

  for (const [way, text] of Object.entries(WAYS))
    it(`${way}: a text that calls what is hidden is answered like one that calls what is not there`, async () => {
      for (const [method, path, body] of [
        ['POST', '/dags', { name: 'own' }],
        ['PUT', '/dags/etl/spec', {}],
        ['POST', '/dag-runs', { name: 'own' }],
        ['POST', '/dag-runs/enqueue', { name: 'own' }]
      ] as const) {
        const group = path.includes('etl') ? 'group: etl\ntags: [nightly]\n' : ''
        const [hidden, missing] = [
          await send('editor', method, path, { ...body, spec: `${group}${calling(text, 'pay')}` }),
          await send('editor', method, path, { ...body, spec: `${group}${calling(text, 'zip')}` })
        ]
        expect(hidden.status, `${path}: ${hidden.text}`).to.equal(400)
        expect(hidden.json.message).to.match(/there is no definition named pay/)
        expect(unnamed(hidden, 'pay'), path).to.equal(unnamed(missing, 'zip'))
      }
      expect(existsSync(fileOf('own'))).to.equal(false)
      expect(readFileSync(fileOf('etl'), 'utf8')).not.to.contain('pay')
    })
  for (const [way, text] of Object.entries(OPEN_ENDED))
    it(`${way}: who must not see every definition calls them by name`, async () => {
      const { status, json } = await send('editor', 'POST', '/dags', { name: 'own', spec: calling(text, 'pay') })
      expect([status, json.message]).to.deep.equal([400, json.message])
      expect(json.message).to.contain('wanted the name of a definition, found')
    })
  it('a rename of a text of somebody else, and version 1', async () => {
    api.write('theirs', calling(WAYS.call ?? '', 'pay'))
    const renamed = await send('editor', 'POST', '/dags/theirs/rename', { newFileName: 'mine' })
    expect([renamed.status, existsSync(fileOf('mine'))]).to.deep.equal([400, false])
    const body = { action: 'save', value: `group: etl\n${calling(WAYS.call ?? '', 'pay')}` }
    expect((await api.callAt('POST', '/api/v1/dags/etl', as('editor', { body }))).status).to.equal(400)
    rmSync(fileOf('theirs'))
  })
  it('what they see may be called', async () => {
    const { json } = await send('editor', 'POST', '/dag-runs', { name: 'own', spec: calling(WAYS.call ?? '', 'etl') })
    expect((await api.engine.result({ name: 'own', dagRunId: json.dagRunId })).run.status).to.equal('succeeded')
  })
  for (const [way, text] of oneIn(2, Object.entries({ ...WAYS, ...OPEN_ENDED })))
    it(`${way}: a run that they start of a text that they may edit finds what is hidden as little as what is not there`, async () => {
      const ended: string[] = []
      for (const target of ['pay', 'zip']) {
        api.write('through', calling(text, target))
        const dagRunId = `${target}-${way.replaceAll(' ', '-')}`
        expect((await send('editor', 'POST', '/dags/through/start', { dagRunId })).status).to.equal(200)
        const all = await allOf('editor', 'through', dagRunId)
        expect(all).not.to.contain(MARK)
        expect(all, 'which rule hides it').not.to.match(/secret|"may"/)
        const { run, nodes } = await api.engine.result({ name: 'through', dagRunId })
        const said = nodes.map(({ node }) => `${node.status} ${node.error ?? ''}`).join('\n')
        // Ids of sub runs follow from the name.
        ended.push(`${run.status} ${said}`.replaceAll(target, 'X').replace(/(?<=sub DAG run )\S+/g, 'ID'))
      }
      expect(ended[0]).to.equal(ended[1])
    })
  it('a retry and a reschedule go by who asks for them', async () => {
    api.write('through', calling(WAYS.call ?? '', 'pay'))
    const dagRunId = 'by-admin'
    await send('admin', 'POST', '/dags/through/start', { dagRunId })
    expect((await api.engine.result({ name: 'through', dagRunId })).run.status).to.equal('succeeded')
    const again = await send('editor', 'POST', `/dag-runs/through/${dagRunId}/reschedule`, { dagRunId: 'again' })
    expect(again.status, again.text).to.equal(200)
    expect((await api.engine.result({ name: 'through', dagRunId: 'again' })).run.status).to.equal('failed')
    await send('editor', 'POST', '/dag-runs/through/again/retry', {})
    expect((await api.engine.result({ name: 'through', dagRunId: 'again' })).run.status).to.equal('failed')
    await send('admin', 'POST', '/dag-runs/through/again/retry', {})
    expect((await api.engine.result({ name: 'through', dagRunId: 'again' })).run.status).to.equal('succeeded')
    await send('editor', 'POST', '/dag-runs/through/by-admin/retry', { dagRunId: 'copy', stepName: 'go' })
    expect((await api.engine.result({ name: 'through', dagRunId: 'copy' })).run.status).to.equal('failed')
  })
  it('a text that they may start and not edit calls what its author has chosen, however it is started', async () => {
    api.write('through', calling(WAYS.call ?? '', 'pay'))
    const ends: string[] = []
    const endOf = async (dagRunId: string) =>
      ends.push((await api.engine.result({ name: 'through', dagRunId })).run.status)
    expect((await send('runner', 'POST', '/dags/through/start', { dagRunId: 'offered' })).status).to.equal(200)
    await endOf('offered')
    await send('runner', 'POST', '/dag-runs/through/offered/reschedule', { dagRunId: 'offered-again' })
    await endOf('offered-again')
    await send('runner', 'POST', '/dag-runs/through/offered/retry', { dagRunId: 'offered-copy', stepName: 'go' })
    await endOf('offered-copy')
    expect(ends).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
  })
  it('a run of a text of theirs stays bound by their rights, whoever of them starts it again', async () => {
    const inline = { name: 'own', spec: 'params: "WHAT=etl"\nsteps: [{name: go, call: etl}]\n', dagRunId: 'first' }
    expect((await send('editor', 'POST', '/dag-runs', inline)).status).to.equal(200)
    const { run } = await api.engine.result({ name: 'own', dagRunId: 'first' })
    expect(run).to.have.property('starter')
    await send('runner', 'POST', '/dag-runs/own/first/reschedule', { dagRunId: 'second' })
    expect((await api.engine.result({ name: 'own', dagRunId: 'second' })).run).to.have.property('starter')
  })
  it('a start of the schedule, the command line or the host application has no caller, and sees all', async () => {
    const key = await api.engine.start({ fileName: 'through' })
    expect((await api.engine.result(key)).run.status).to.equal('succeeded')
  })
  it('the name that is nearly right is not said to who must not see every definition', async () => {
    api.write('through', calling(WAYS.call ?? '', 'payy'))
    await send('editor', 'POST', '/dags/through/start', { dagRunId: 'near' })
    const { nodes } = await api.engine.result({ name: 'through', dagRunId: 'near' })
    expect(nodes[0]?.node.error)
      .to.match(/failed to find DAG "payy"/)
      .and.not.match(/"pay"|mean/)
  })
})
