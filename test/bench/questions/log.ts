/** What does a page of a log of 1 GB cost, from its end and from its middle? */
import { closeSync, openSync, writeSync } from 'node:fs'
import { createEngine } from '../../../src/index.ts'
import { type Question, scaled } from '../question.ts'
import { readOften } from '../read-often.ts'

const BYTES = 2 ** 30
/** Of one write; whole lines. */
const BLOCK_LINES = 100_000
const RUN = { fileName: 'wordy', dagRunId: 'gigabyte' }

export const log: Question = {
  name: 'log',
  ownOnly: true,
  definitions: () => ({ wordy: 'steps:\n  - name: say\n    command: echo begun\n' }),
  async prepare({ home, dags }, scale) {
    const engine = await createEngine({ home, dagsDir: dags, defaultShell: 'sh' })
    const { nodes } = await engine.result(await engine.start(RUN))
    await engine.close()
    const file = openSync(nodes[0]?.node.stdout ?? '', 'w')
    const block = Buffer.from(Array.from({ length: BLOCK_LINES }, (_, n) => `${LINE} ${n}\n`).join(''))
    for (let written = 0; written < scaled(BYTES, scale); written += block.length) writeSync(file, block)
    closeSync(file)
  },
  async ask({ client }, scale) {
    const path = `/dag-runs/wordy/${RUN.dagRunId}/steps/say/log`
    const middle = Math.round(scaled(BYTES, scale) / (LINE.length + 6) / 2)
    const first = await client.read(`${path}?offset=${middle}&limit=100`)
    return [
      { figure: 'first offset in the middle (index)', unit: 'ms', better: 'less', value: first.ms },
      ...(await readOften(client, 'offset in the middle', (n) => `${path}?offset=${middle - n * 7}&limit=100`)),
      ...(await readOften(client, 'tail=100', `${path}?tail=100`)),
      ...(await readOften(client, 'head=100', `${path}?head=100`))
    ]
  }
}

const LINE = 'time=2026-03-01T03:00:00Z level=INFO msg="a line as programs write them" customer=4711 rows=12 took=38ms'
