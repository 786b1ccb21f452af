/** Which sub DAG run a step calls when it is executed again. Source: execution-semantics 9.5.1, 9.5.3, 9.5.4, 1.1.8, 1.1.9. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { calledBench } from '../../support/engine/called.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('sub workflows › call', () => {
  const { dags, live, subOf } = calledBench()

  it('1.1.8, 9.5.1 runs of several DAGs with one id, at once and later: each calls its own sub run, in a retry too', async () => {
    const folder = temporaryFolder()
    const spec = (who: string) => `
workingDir: ${folder}
steps: [{name: a, call: twin}]
---
name: twin
steps: [echo ${who} >>first, "[ -e ok ]", echo ${who} >>second]
`
    const lines = (file: string) => readFileSync(join(folder, file), 'utf8').trim().split('\n').sort()
    await live.engine.createDefinition('lili', spec('lili'))
    const sameId = { dagRunId: '2026-03-01' }
    const key = { name: 'lili', ...sameId }
    const atOnce = ['lala', 'lola'].map((name) => live.run(spec(name), { name, ...sameId }))
    for (const run of await Promise.all(atOnce)) expect(subOf(run, 'a').run.caller?.root.name).to.equal(run.run.name)
    await live.engine.result(await live.engine.start({ fileName: 'lili', ...sameId }))
    expect(lines('first')).to.deep.equal(['lala', 'lili', 'lola'])
    writeFileSync(join(folder, 'ok'), '')
    await live.engine.renameDefinition('lili', 'lulu')
    for (const run of ['lala', 'lola', 'lulu'])
      expect((await live.ended(await live.engine.retry({ ...key, name: run }))).status, run).to.equal('succeeded')
    const fresh = await live.engine.retry({ ...key, name: 'lulu' }, { dagRunId: 'fresh' })
    expect((await live.ended(fresh)).status).to.equal('succeeded')
    expect([lines('first'), lines('second')]).to.deep.equal([
      ['lala', 'lili', 'lola'],
      ['lala', 'lili', 'lola']
    ])
  })

  it('6.1.9, 9.5.1 a retry within a pass of a repeating step retries the sub run of that pass', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
workingDir: ${folder}
steps: [{name: a, call: kid, retryPolicy: {limit: 1}, repeatPolicy: {repeat: true, limit: 3}}]
---
name: kid
steps: [echo first >>first, 'echo second >>second; [ $(wc -l <second) -ne 2 ]']
`)
    expect(run.node('a')).to.include({ status: 'succeeded', retryCount: 1, doneCount: 3 })
    const lines = (file: string) => readFileSync(join(folder, file), 'utf8').trim().split('\n').length
    expect([lines('first'), lines('second')]).to.deep.equal([3, 4])
    const subs = live.engine.subRuns(run.run)
    expect(subs.map(({ attempt }) => attempt).sort()).to.deep.equal([1, 1, 2])
  })

  it('1.1.9, 9.5.3, 9.5.4 a retried sub run is what it was, though its file has been edited since', async () => {
    for (const dagRunId of [undefined, 'fresh-snapshot']) {
      const folder = temporaryFolder()
      const child = (steps: string) =>
        writeFileSync(join(dags, 'edited.yaml'), `params: T=\`date +%s%N\`\nworkingDir: ${folder}\nsteps: [${steps}]`)
      child('{name: one, command: echo one $T >>marks}, {name: two, command: "echo two $T >>marks; [ -e ok ]"}')
      const run = await live.run('steps: [{name: a, call: edited}]')
      child('echo new >>marks, {name: one, command: echo edited >>marks}, {name: two, command: echo edited >>marks}')
      writeFileSync(join(folder, 'ok'), '')
      const again = await live.ended(await live.engine.retry(run.run, dagRunId ? { dagRunId } : {}))
      expect(again.status).to.equal('succeeded')
      const [one = '', two, ...more] = readFileSync(join(folder, 'marks'), 'utf8').trim().split('\n')
      expect([two, ...more]).to.deep.equal([one.replace('one', 'two'), one.replace('one', 'two')])
      const [sub] = again.nodes[0]?.calls?.subRuns ?? []
      const view = live.engine.subRun(again.run, sub?.dagRunId ?? '')
      expect(view?.nodes.map(({ node }) => [node.step, node.status])).to.deep.equal([
        ['one', 'succeeded'],
        ['two', 'succeeded']
      ])
    }
  })

  it('1.1.9, 9.5.3, 9.5.4 also when its file is gone, has no workflow any more, or another name', async () => {
    for (const [change, dagRunId] of [
      [(file: string) => rmSync(file), undefined],
      [(file: string) => rmSync(file), 'fresh-gone'],
      [(file: string) => writeFileSync(file, 'steps: ['), undefined],
      [
        (file: string) => writeFileSync(file, 'name: other\nsteps: [{name: one, command: echo other >>marks}]'),
        undefined
      ],
      [
        (file: string) => writeFileSync(file, 'name: other\nsteps: [{name: one, command: echo other >>marks}]'),
        'fresh-name'
      ]
    ] as const) {
      const folder = temporaryFolder()
      const file = join(dags, 'fleeting.yaml')
      writeFileSync(file, `workingDir: ${folder}\nsteps: [echo one >>marks, "[ -e ok ]", echo two >>marks]`)
      const run = await live.run('steps: [{name: a, call: fleeting}]')
      change(file)
      writeFileSync(join(folder, 'ok'), '')
      const again = await live.ended(await live.engine.retry(run.run, dagRunId ? { dagRunId } : {}))
      expect([again.status, again.node('a').error]).to.deep.equal(['succeeded', undefined])
      expect(readFileSync(join(folder, 'marks'), 'utf8')).to.equal('one\ntwo\n')
    }
    const folder = temporaryFolder()
    const target = join(folder, 'fleeting.yaml')
    writeFileSync(
      target,
      `workingDir: ${folder}\nsteps: [echo one >>marks, rm fleeting.yaml || true, "[ -e ok ] || { touch ok; false; }"]`
    )
    const run = await live.run(
      `steps: [{name: a, call: ${target}, retryPolicy: {limit: 1}}, {name: b, call: ${target}}]`
    )
    expect(run.statuses).to.deep.equal(['succeeded', 'failed'])
    expect(run.node('b').error).to.contain('failed to find DAG')
    expect(readFileSync(join(folder, 'marks'), 'utf8')).to.equal('one\n')
  })
})
