/** The program that `aside.ts` starts: one examination and its result. LMDB may kill it. */
import { systemClock } from '../clock.ts'
import { TroupeError } from '../errors.ts'
import { openStore } from '../store/open.ts'
import type { Answer, Order } from './aside.ts'
import { examine, fixHome, storeProblems } from './doctor.ts'
import { plainFinding } from './finding.ts'

process.once('message', async (order: Order) => {
  const answer = await answerTo(order)
  process.send?.(answer, () => process.disconnect())
})

async function answerTo(order: Order): Promise<Answer> {
  try {
    return { said: await said(order) }
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    return { refusal: { code: error.code, message: error.message } }
  }
}

async function said({ task, premises }: Order) {
  if (task === 'laws') return lawsOf(premises.dataDir)
  const { findings, fixed, ...rest } = await (task === 'fix'
    ? fixHome(premises, systemClock)
    : examine(premises, systemClock, task === 'upgrade'))
  return { ...rest, findings: findings.map(plainFinding), fixed: fixed.map(plainFinding) }
}

async function lawsOf(dataDir: string): Promise<string[]> {
  const store = openStore(dataDir, { readOnly: true })
  try {
    return storeProblems(store)
  } finally {
    await store.root.close()
  }
}
