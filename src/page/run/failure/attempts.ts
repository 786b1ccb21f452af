/** How often a step was tried in a run, from the journal. Pure computations. */
import type { JournalEvent, NodeLabel } from '../../answers.ts'
import { actorText, eventAt } from '../journal/event-text.ts'

export interface StepAttempt {
  /** Number of the attempt of the run, from 1 on. */
  ofRun: number
  /** Number within that attempt of the run, and within its last pass if the step repeats, from 1 on. */
  number: number
  /** Number among all executions of the step in that attempt of the run; a log names it by this. */
  execution: number
  /** Epoch ms. */
  from: number
  until: number
  /** `seq` of the event that ended it. */
  end: number
  label: NodeLabel
}

const isWork = (state: string): boolean => /^attempting\b/.test(state)
/** States between an attempt that failed and the next one. */
const BETWEEN = new Set(['waiting', 'placing'])
/** States between two passes of a step that repeats. */
const PASSED = new Set(['passed', 'testing', 'repeating'])
/** The code of the step is not here: the attempt goes on when it is. */
const MISSING = 'missing'

// D1372: the failure card has the attempts of a step over all attempts of its run
/**
 * The attempts of a step that have ended, oldest first: of every attempt of the run that has executed it; of a step that repeats, those of
 * the last pass of each.
 * @param upTo `seq` of the latest event that counts
 * @param latest number of the latest attempt of the run
 */
export function attemptsOf(events: readonly JournalEvent[], step: string, upTo: number, latest: number): StepAttempt[] {
  const attempts: StepAttempt[] = []
  let ofRun = latest - events.filter(beginsRun).length
  let number = 0
  let execution = 0
  /** When the one that is at work began. */
  let began: number | undefined
  const end = (event: JournalEvent) => {
    const { seq, to, statusLabel } = event
    if (began === undefined) return
    const isToBeTried = BETWEEN.has(to) || isWork(to)
    const label = isToBeTried ? 'failed' : (statusLabel as NodeLabel)
    attempts.push({ ofRun, number, execution, from: began, until: eventAt(event), end: seq, label })
    began = undefined
  }
  for (const event of events) {
    if (event.seq > upTo) break
    if (beginsRun(event)) ofRun++
    const { from, to } = event
    if (event.step !== step || event.statusLabel === undefined) continue
    if (from === '') [number, execution] = [0, 0]
    const isAgain = from === 'attempting.interrupting' && event.event === 'attempt.ended' && isWork(to)
    if (isAgain || (!isWork(to) && to !== MISSING)) end(event)
    if (!isWork(to) || (isWork(from) && !isAgain) || began !== undefined) continue
    if (PASSED.has(from)) {
      number = 0
      while (attempts.at(-1)?.ofRun === ofRun) attempts.pop()
    }
    number++
    execution++
    began = eventAt(event)
  }
  return attempts
}

const beginsRun = (event: JournalEvent): boolean =>
  event.from === '' && event.step === undefined && actorText(event) === 'run'

/** The name of an attempt: by the attempt of the run where there are several, too. */
export function attemptName({ ofRun, number }: StepAttempt, all: readonly StepAttempt[]): string {
  if (all.every((it) => it.ofRun === ofRun)) return `Attempt ${number}`
  const isOnly = all.filter((it) => it.ofRun === ofRun).length === 1
  return `Attempt ${ofRun} of the run${isOnly ? '' : `, ${number} of the step`}`
}

const TAIL = '\nrecent stderr (tail):\n'

/** The error of a step, without what is shown beside it: its name, and its last lines. */
export function reasonOf(error: string, step: string): string {
  const lead = `failed to execute step "${step}": `
  const reason = error.startsWith(lead) ? error.slice(lead.length) : error
  const tail = reason.indexOf(TAIL)
  return tail < 0 ? reason : reason.slice(0, tail)
}

// D1373: lines that are new in an attempt are marked only if some are not
/**
 * Which lines of an attempt the one before it did not have, in their order. None of them when the two have no line in common: then all
 * differ, and marks would say nothing.
 */
export function newLines(before: readonly string[], lines: readonly string[]): boolean[] {
  // Lengths of the longest common sequence of what is left from two places on.
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(lines.length + 1).fill(0))
  const at = (one: number, other: number) => lengths[one]?.[other] ?? 0
  for (let one = before.length - 1; one >= 0; one--)
    for (let other = lines.length - 1; other >= 0; other--) {
      const row = lengths[one]
      if (row)
        row[other] =
          before[one] === lines[other] ? at(one + 1, other + 1) + 1 : Math.max(at(one + 1, other), at(one, other + 1))
    }
  if (at(0, 0) === 0) return lines.map(() => false)
  const isNew: boolean[] = []
  let [one, other] = [0, 0]
  while (other < lines.length)
    if (one < before.length && before[one] === lines[other]) {
      isNew.push(false)
      one++
      other++
    } else if (one < before.length && at(one + 1, other) >= at(one, other + 1)) one++
    else {
      isNew.push(true)
      other++
    }
  return isNew
}
