/** Records that name the one before them: a gap, a torn or an old one is seen. */
import { createHash } from 'node:crypto'
import type { Store } from '../../src/store/open.ts'
import type { StoredRun } from '../../src/store/stored.ts'

const NAME = 'chain'
const linkOf = (number: number) => createHash('sha256').update(String(number)).digest('hex')
export const idOf = (number: number): string => String(number).padStart(9, '0')

/** Record `number`. */
export const chained = (number: number): StoredRun => ({
  seq: number,
  record: {
    name: NAME,
    dagRunId: idOf(number),
    status: 'succeeded',
    attempt: 1,
    createdAt: number,
    params: [{ name: 'BEFORE', value: linkOf(number - 1) }],
    log: '',
    nodeLogs: '',
    plan: ''
  }
})

/** How many records there are, from 1 on; `broken`: the first number that is not what it should be, though a later one is there. */
export function lengthOf(store: Store): { length: number; broken?: number } {
  const numbers = Array.from(store.runs.getRange({ start: [NAME, ''], end: [NAME, '\uffff'] }), ({ value }) => value)
  const at = numbers.findIndex(({ seq, record }, index) => {
    const [before] = record.params
    return seq !== index + 1 || before?.value !== linkOf(index) || !store.byTime.doesExist([seq, NAME, idOf(seq)])
  })
  return { length: numbers.length, ...(at < 0 ? {} : { broken: at + 1 }) }
}
