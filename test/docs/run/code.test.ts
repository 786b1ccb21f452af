/** docs/executors/custom.md and function.md: definitions call what the programs of these pages define, and what they promise happens. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { transformSync } from 'esbuild'
import { z } from 'zod'
import { defineFunction, type Engine } from '../../../src/index.ts'
import { type Asked, answering } from '../../support/docs/answering.ts'
import { definitionRuns } from '../../support/docs/definition-runs.ts'
import { blocksOf, placed, runBlocks } from '../../support/docs/page-blocks.ts'
import { seen } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'

/** The engine that the program of a page makes. Its home is a new one. */
async function engineOf(page: string, replaced: readonly (readonly [string, string])[] = []): Promise<Engine> {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(PROJECT, join(folder, 'node_modules/troupe'))
  symlinkSync(join(PROJECT, 'node_modules/zod'), join(folder, 'node_modules/zod'))
  const program = placed(blocksOf(page, 'ts')[0] ?? '', replaced)
  const file = join(folder, 'program.mjs')
  writeFileSync(file, `${transformSync(program, { loader: 'ts', format: 'esm' }).code}\nexport { engine }\n`)
  const { ENGINE_HOME: earlier } = process.env
  process.env.ENGINE_HOME = join(folder, 'home')
  try {
    return (await import(pathToFileURL(file).href)).engine
  } finally {
    if (earlier === undefined) delete process.env.ENGINE_HOME
    else process.env.ENGINE_HOME = earlier
  }
}

/** What the functions that the page names were called with. */
const called: { name: string; item: unknown; street: unknown }[] = []
const label = (name: string, answer: (call: { item?: unknown; params: { STREET?: unknown } }) => unknown) =>
  defineFunction({ name, params: z.any() }, (call) => {
    called.push({ name, item: Object(call).item, street: call.params?.STREET })
    return answer(call) as null
  })

describe('docs/executors › run with code of a program', () => {
  const runs = definitionRuns(() => ({}), {
    functions: [
      label('order/label', (call) => `label ${Object(call.item).id}`),
      label('order/label#preconditions', ({ params }) => params.STREET !== 'nowhere'),
      label('order/label#env', ({ params }) => ({ ADDRESS: `${params.STREET} 7` }))
    ]
  })
  runBlocks({
    'docs/executors/custom.md': {
      yaml: [
        [
          'the executor of the program above sends the script, and prints the answer',
          async (block) => {
            const broker = await answering('heard')
            const engine = await engineOf('docs/executors/custom.md')
            try {
              const spec = placed(block, [['http://127.0.0.1:9000', broker.address]])
              const key = await engine.start({ name: 'flow', spec })
              const ended = seen(await engine.result(key))
              expect([ended.status, ended.out('tell')]).to.deep.equal(['succeeded', '"heard"'])
              const [{ method, path, body } = {}] = broker.asked as Partial<Asked>[]
              expect([method, path, body]).to.deep.equal(['POST', '/news?retain=true', 'it is done'])
            } finally {
              await engine.close()
              broker.close()
            }
          }
        ]
      ]
    },
    'docs/executors/function.md': {
      yaml: [
        [
          'the function of the program above is called with the params, and its result is the output',
          async (block) => {
            const bank = await answering('r-1')
            const engine = await engineOf('docs/executors/function.md', [['https://pay.example.org', bank.address]])
            try {
              const ended = seen(await engine.result(await engine.start({ name: 'flow', spec: block })))
              expect([ended.status, ended.out('tell')]).to.deep.equal(['succeeded', 'paid, "r-1"\n'])
              const [{ path, body = '', headers } = {}] = bank.asked as Partial<Asked>[]
              expect([path, JSON.parse(body)]).to.deep.equal(['/charges', { amount: 12, card: '4242' }])
              expect(headers?.['idempotency-key']).to.be.a('string')
              expect(ended.out('charge')).to.contain('charged')
            } finally {
              await engine.close()
              bank.close()
            }
          }
        ],
        [
          'the function is called for each item, and the result is the list of results',
          async (block) => {
            const ended = await runs.succeeds(block)
            expect(JSON.parse(ended.node('labels').output ?? '')).to.deep.equal(['label 1', 'label 2', 'label 3'])
            const items = called.filter(({ name }) => name === 'order/label').map(({ item }) => Object(item).id)
            expect(items.sort()).to.deep.equal([1, 2, 3])
          }
        ],
        [
          'functions say whether the step runs, and with which variables',
          async (block) => {
            writeFileSync(join(runs.bin, 'print-label'), '#!/bin/sh\necho "label for $1"\n', { mode: 0o755 })
            const printed = await runs.succeeds(block, { params: 'STREET="High Street"' })
            expect(printed.out('label')).to.equal('label for High Street 7\n')
            const skipped = await runs.succeeds(block, { params: 'STREET=nowhere' })
            expect(skipped.statuses).to.deep.equal(['skipped'])
          }
        ]
      ]
    }
  })
})
