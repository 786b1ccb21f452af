/** One engine is asked one question. */
import type { Engine } from './engines.ts'
import type { Usage } from './processes.ts'
import type { Answer, Question } from './question.ts'
import { startServer } from './server.ts'
import type { StartCost } from './step/host.ts'
import { type CostFigures, stepCost } from './tables/costs.ts'

export interface Asked {
  version: string
  answers: Answer[]
  /** Absent: it is no question about steps. */
  cost?: CostFigures
}

/**
 * Asks one engine one question. The processor time is an answer too: the one that other work on the machine disturbs least.
 * @param host what a start costs in this round
 */
export async function ask(engine: Engine, question: Question, scale: number, host: StartCost[]): Promise<Asked> {
  const server = await startServer(engine, question.definitions(scale), (place) =>
    Promise.resolve(question.prepare?.(place, scale))
  )
  try {
    const { tree, pid, version } = server
    const before = tree.usage(pid)
    const share = engine.name === 'Dagu' ? (question.peerShare ?? 1) : 1
    const answers = await question.ask(server, scale * share)
    const after = tree.usage(pid)
    const since = question.cpuSince === 'spawn' ? 0 : cpuSecondsOf(before)
    const value = (cpuSecondsOf(after) - since) / share
    const steps = question.steps?.(scale)
    return {
      version,
      answers: [...answers, { figure: 'CPU, all processes', unit: 's', better: 'less', value }],
      ...(steps ? { cost: stepCost(before, after, steps, host) } : {})
    }
  } finally {
    server.end()
  }
}

const cpuSecondsOf = ({ engine, others }: Usage) => (engine.cpuMs + others.cpuMs) / 1000
