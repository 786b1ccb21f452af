/** Random plans: any shape that validation accepts. */
import type { Condition, HandlerKind, Plan } from '../../../machines/vocabulary.ts'
import type { Random } from '../random.ts'
import { plan, repeat, type StepWish, step } from './plans.ts'

const condition: Condition[] = [{ condition: 'test -f go' }]

export function randomPlan(random: Random): Plan {
  const { below, chance, pick, shuffled } = random
  const names = Array.from({ length: below(8) }, (_, index) => `s${index}`)
  const steps = names.map((name, index) =>
    step(name, {
      ...randomStep(random),
      continueOn: randomContinueOn(random),
      depends: shuffled(names.slice(0, index)).slice(0, below(4))
    })
  )
  const kinds: [HandlerKind, string][] = [
    ['success', 'onSuccess'],
    ['failure', 'onFailure'],
    ['cancel', 'onCancel'],
    ['exit', 'onExit']
  ]
  const handlers = kinds.filter(() => chance(0.4)).map(([kind, name]) => [kind, step(name, randomStep(random))])
  return plan(shuffled(steps), {
    maxActiveSteps: below(4),
    timeoutMs: chance(0.15) ? 5_000 : 0,
    cleanUpMs: pick([1_000, 5_000, 12_000]),
    preconditions: chance(0.15) ? condition : [],
    delayMs: chance(0.15) ? 4_000 : 0,
    onInterrupt: pick(['resume', 'fail', 'rerun']),
    ...(chance(0.3) ? { mailOn: { failure: true, success: true }, errorMail: mailTarget, infoMail: mailTarget } : {}),
    handlers: Object.fromEntries(handlers)
  })
}

const randomStep = (random: Random): StepWish => ({
  ...plainStep(random),
  ...(random.chance(0.25) ? { repeat: randomRepeat(random) } : {})
})
/** With a limit: every walk comes to its end. */
const randomRepeat = ({ below, chance, pick }: Random) =>
  repeat({
    mode: pick(['while', 'until']),
    ...(chance(0.4) ? { condition: { condition: 'test -f go' } } : {}),
    exitCodes: chance(0.5) ? [1] : [],
    intervalMs: pick([0, 1_000, 4_000]),
    limit: 1 + below(3)
  })
const mailTarget = { from: 'a@x.test', to: ['b@x.test'], prefix: '', attachLogs: false }
const plainStep = ({ below, chance, pick }: Random): StepWish => ({
  preconditions: chance(0.2) ? condition : [],
  timeoutMs: chance(0.2) ? 2_000 : 0,
  mailOnError: chance(0.3),
  retry: { limit: below(3), interval: pick([0, 1_000, 4_000]), exitCodes: chance(0.3) ? [1] : [] }
})
const randomContinueOn = ({ chance }: Random): StepWish['continueOn'] & object => ({
  failure: chance(0.2),
  skipped: chance(0.3),
  exitCodes: chance(0.2) ? [1] : [],
  outputs: chance(0.1) ? ['x'] : [],
  markSuccess: chance(0.1)
})
