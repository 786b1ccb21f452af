/** What an execution wrote, read from its logs. Source: execution-semantics 4.5. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { captureOutput, tailOf } from '../../../src/actors/step/attempt-output.ts'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { temporaryFolder } from '../../support/homes.ts'

const LIMIT = 1024 * 1024

describe('attempt output', () => {
  const log = (text: string) => {
    const path = join(temporaryFolder(), 's.out')
    writeFileSync(path, text)
    return path
  }

  for (const [size, length] of [
    ['small', 10],
    ['large', 300_000]
  ] as const)
    it(`4.5.4 a ${size} output is the stdout of its own execution, trimmed`, async () => {
      const text = 'é'.repeat(length)
      const path = log(`earlier\n${text}\n\n`)
      expect(await captureOutput(path, 'earlier\n'.length, LIMIT, secretsOf({}))).to.deep.equal({ output: text })
    })

  it('4.5.6 one of more than `maxOutputSize` bytes is no value', async () => {
    expect(await captureOutput(log('x'.repeat(LIMIT + 1)), 0, LIMIT, secretsOf({}))).to.equal(undefined)
  })

  it('4.5.8 that of a log that was never made is empty', async () => {
    expect(await captureOutput('/nowhere/s.out', 0, LIMIT, secretsOf({}))).to.deep.equal({ output: '' })
    expect(await tailOf('/nowhere/s.err')).to.equal('')
  })

  it('the tail of a log are its last 1,024 bytes, without the last line break', async () => {
    expect(await tailOf(log(`${'a'.repeat(2_000)}${'b'.repeat(1_023)}\n`))).to.equal('b'.repeat(1_023))
    expect(await tailOf(log('short\n'))).to.equal('short')
  })
})
