/**
 * Clients race for the same names and ids, round after round; their answers are compared with the result.
 * What a seed repeats is who asks for what; in which order it arrives is the machine's. Source: reliability P1, P2, P3, P13.
 */
import { seeded } from '../support/random.ts'
import { ANSWERS } from './answers.ts'
import type { Clients } from './client.ts'
import type { Heat } from './heat.ts'
import { scenarios } from './scenarios.ts'

export interface RaceOptions {
  clients: Clients
  /** Requests at a time. */
  width: number
  rounds: number
  seed: number
  /** An empty folder that steps write marks into. */
  folder: string
  /** Names of the scenarios to play. Default: all. */
  only?: readonly string[]
  /** Called before each round. */
  onRound?: (round: number) => void
}

export interface RaceReport {
  seed: number
  rounds: number
  clients: number
  requests: number
  runs: number
  /** How often each action got each answer. */
  answers: Record<string, number>
  /** What must not be; at most 20 of them. */
  violations: string[]
}

const MOST_VIOLATIONS = 20

/** Plays every scenario once in each round. */
export async function race(options: RaceOptions): Promise<RaceReport> {
  const { clients, width, rounds, seed, folder, only, onRound } = options
  const answers: Record<string, number> = {}
  const violations: string[] = []
  let requests = 0
  let runs = 0
  for (let round = 1; round <= rounds; round++) {
    onRound?.(round)
    for (const [name, play] of Object.entries(scenarios)) {
      if (only && !only.includes(name)) continue
      const random = seeded(seed * 100_003 + round * 101 + name.length)
      const seen = new Map<string, [name: string, dagRunId: string]>()
      const violate = (what: string) => {
        if (violations.length < MOST_VIOLATIONS) violations.push(`round ${round}, ${name}: ${what}`)
      }
      const heat: Heat = {
        id: `${name.slice(0, 4).toLowerCase()}${round}`,
        width,
        folder,
        random,
        async send(action, path, body) {
          requests++
          const reply = await clients.send(action, path, body)
          const [, ...documented] = ANSWERS[action]
          const key = `${action} ${reply.answer}`
          answers[key] = (answers[key] ?? 0) + 1
          if (!documented.some((answer) => answer === reply.answer))
            violate(`${action} ${path} was answered with ${reply.answer}: ${reply.text.slice(0, 200)}`)
          return reply
        },
        async together<T>(requests: readonly (() => Promise<T>)[]) {
          const places = random.shuffled([...requests.keys()])
          const sent = new Map<number, Promise<T>>()
          for (const place of places) sent.set(place, (requests[place] ?? never)())
          return Promise.all(requests.map((_, place) => sent.get(place) ?? never()))
        },
        must: (holds, what) => void (holds || violate(what)),
        saw: (name, dagRunId) => void seen.set(`${name}/${dagRunId}`, [name, dagRunId])
      }
      try {
        await play(heat)
        for (const [name, dagRunId] of seen.values()) await audit(heat, name, dagRunId)
      } catch (cause) {
        violate(cause instanceof Error ? cause.message : String(cause))
      }
      runs += seen.size
    }
  }
  return { seed, rounds, clients: width, requests, runs, answers, violations }
}

const never = (): never => {
  throw new Error('a place of a list is empty')
}

/** The run is there, and its record says what its journal says. */
async function audit({ send, must }: Heat, name: string, dagRunId: string): Promise<void> {
  const path = `/dag-runs/${name}/${dagRunId}`
  const [detail, events] = await Promise.all([send('read', path), send('read', `${path}/events?follow=false`)])
  must(detail.isDone && events.isDone, `run ${dagRunId} of ${name} was acknowledged and is lost`)
  if (!detail.isDone || !events.isDone) return
  const { dagRun } = detail.json
  const journal = [...events.text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
  const back = journal.findIndex(({ seq }, place) => place > 0 && seq <= journal[place - 1].seq)
  must(back < 0 && journal.length > 0, `the journal of ${name}/${dagRunId} goes back at ${back} of ${journal.length}`)
  const own = journal.filter(({ step, statusLabel }) => step === undefined && statusLabel !== undefined).at(-1)
  must(
    own?.statusLabel === dagRun.statusLabel,
    `${name}/${dagRunId} is ${dagRun.statusLabel}, its journal says ${own?.statusLabel}`
  )
  must(
    (dagRun.finishedAt !== '') === !['running', 'queued'].includes(dagRun.statusLabel),
    `${name}/${dagRunId} is ${dagRun.statusLabel} and has finishedAt "${dagRun.finishedAt}"`
  )
  for (const { step, statusLabel } of dagRun.nodes) {
    const last = journal.filter((record) => record.step === step.name && record.statusLabel !== undefined).at(-1)
    const expected = last?.statusLabel ?? statusLabel
    must(
      statusLabel === expected,
      `step ${step.name} of ${name}/${dagRunId} is ${statusLabel}, its journal says ${expected}`
    )
  }
}
