/** Long texts are read in a thread: the same is read, others are not blocked, and its failure is reported. Source: reliability R3, P17. */
import { performance } from 'node:perf_hooks'
import { expect } from 'chai'
import { systemClock } from '../../src/clock.ts'
import type { CustomTypes } from '../../src/definition/fields/custom-types.ts'
import { readDefinition } from '../../src/definition/read.ts'
import { fitParams, readApart } from '../../src/definitions/text-thread.ts'
import { endIdleThreads } from '../../src/executors/frame/worker-thread.ts'
import { TEXTS } from '../fuzz/sizes.ts'

const refusal = (work: Promise<unknown>): Promise<{ code?: string; message: string }> =>
  work.then(
    () => ({ message: 'done' }),
    (error) => error
  )

describe('texts of strangers in a thread', () => {
  after(endIdleThreads)

  const steps = (count: number) =>
    Array.from({ length: count }, (_, at) => `  - name: s${at}\n    command: "true"\n`).join('')
  const texts: Record<string, string> = {
    'more steps than one part': `steps:\n${steps(600)}`,
    'exactly two parts': `steps:\n${steps(500)}`,
    'local workflows': `steps:\n${steps(300)}---\nname: a\nsteps:\n${steps(260)}---\nname: b\nparams: [X=1]\nsteps:\n${steps(5)}`,
    'a mistake, and what could be built': `tags: [t]\nsteps:\n${steps(300)}  - name: s0\n    depends: nobody\n`,
    'no steps': `description: "${'x'.repeat(10_000)}"\n`,
    'nothing that could be understood': `: - [\n`.repeat(2_000),
    'handlers and schedules': `schedule: {start: "0 0 * * *"}\nhandlerOn: {exit: {command: echo}}\nsteps:\n${steps(300)}`
  }
  for (const [name, text] of Object.entries(texts))
    it(`reads what is read otherwise: ${name}`, async () => {
      const options = { fallbackName: 'own', sourceDir: '/where', base: { text: 'group: all\n', path: '/base.yaml' } }
      const found = await readApart(text, options, systemClock)
      expect(found).to.deep.equal(readDefinition(text, options))
      if (found.plan) expect(found.outline.steps).to.equal(found.plan.steps)
    })

  it('knows the types of a host application; what a host checks itself is asked here', async () => {
    const text = `steps:\n${steps(300)}  - {name: own, executor: {type: odd, config: {n: x}}}\n`
    const known: CustomTypes = new Map([['odd', { config: { n: { is: 'number' } } }]])
    const asked: string[] = []
    const checking: CustomTypes = new Map([
      ['odd', { validate: ({ config }) => (asked.push(String(config.n)) > 0 ? ['no'] : []) }]
    ])
    for (const custom of [known, checking])
      expect(await readApart(text, { custom }, systemClock)).to.deep.equal(readDefinition(text, { custom }))
    expect(asked.length).to.be.greaterThan(0)
  })

  it('while it is read, and while its parts are taken, others are not blocked', async () => {
    let turns = 0
    let isOver = false
    const look = () => {
      turns++
      if (!isOver) setTimeout(look, 1)
    }
    look()
    const found = await readApart(TEXTS['steps in a chain'] ?? '', { name: 'a' }, systemClock)
    isOver = true
    expect(found.plan?.steps).to.have.length(9_000)
    expect(turns, 'of the event loop; its parts have 250 steps each').to.be.above(9_000 / 250)
  })

  it('a thread that takes too long is a bad_request', async () => {
    const hasty = { ...systemClock, after: (_ms: number, ring: () => void) => systemClock.after(1, ring) }
    const { code, message } = await refusal(readApart(`steps:\n${steps(600)}`, {}, hasty))
    expect({ code, message }).to.deep.equal({
      code: 'bad_request',
      message: 'the definition cannot be read: it was not done within 60s'
    })
  })

  it('a thread that dies of a text is a bad_request, and the next text is read', async () => {
    const { code, message } = await refusal(readApart(`steps:\n${steps(3_000)}`, {}, systemClock, { heapMb: 8 }))
    expect({ code, message }).to.deep.equal({
      code: 'bad_request',
      message: 'the definition cannot be read: it needs more than 8 MiB of memory'
    })
    expect((await readApart(`steps:\n${steps(300)}`, { name: 'a' }, systemClock)).problems).to.deep.equal([])
  })

  it('params are checked against a schema there: its refusals are reported, also when it asks for too much', async () => {
    const params = [{ name: 'N', value: '1' }]
    expect(await fitParams('{"properties": {"M": {"default": 2}}}', params, systemClock)).to.deep.equal({
      params: [...params, { name: 'M', value: '2', written: true }],
      faults: []
    })
    expect(await refusal(fitParams('{', params, systemClock))).to.include({
      code: 'bad_request',
      message: 'failed to get JSON schema: it is not valid JSON'
    })
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] }
      ])
    )
    const endless = JSON.stringify({ $defs: { ...doubling, d40: {} }, $ref: '#/$defs/d0' })
    const before = performance.eventLoopUtilization()
    const { message } = await refusal(fitParams(endless, params, systemClock))
    const { utilization } = performance.eventLoopUtilization(before)
    expect(message).to.contain('the schema asks for too much work')
    expect(utilization, 'others could have had their turn').to.be.below(0.5) // 1 when it is done at once
  })
})
