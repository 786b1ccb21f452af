/** `troupe worker drain ID` and `undrain ID`: whether a worker of the running engine takes runs. Source: distribution 8, D16; our addition. */
import { TroupeError } from '../../../errors.ts'
import type { Arguments, CommandModule } from '../../input/command.ts'
import { positive } from '../../input/flags.ts'
import { show } from '../../owner/answer.ts'

export const run: CommandModule['run'] = async (args, context) => {
  const { id, drain } = wantedIn(args)
  const timeoutSec = positive(args, 'timeout')
  return show(args, context, async ({ api, write }) => {
    const body = { drain, ...(timeoutSec === undefined ? {} : { timeoutSec }) }
    const worker = await api.drainWorker({ path: { workerId: id }, body })
    const { length } = worker.runningTasks
    const left =
      length === 0
        ? 'it has none, and leaves'
        : `it leaves when ${length === 1 ? 'its run has' : `its ${length} runs have`} ended`
    write(worker, () => [drain ? `${id} takes no more runs: ${left}` : `${id} takes runs again`])
  })
}

/** @throws TroupeError bad_request with every problem */
function wantedIn({ operands: [operand = '', id = ''], text, on }: Arguments): { id: string; drain: boolean } {
  const foreign = [...Object.keys(text), ...on].filter((flag) => /^(worker\.|peer\.|leave-running$|out$)/.test(flag))
  const problems = [
    ...(operand === 'drain' || operand === 'undrain'
      ? []
      : [`wanted drain, undrain, enroll or revoke, found ${JSON.stringify(operand)}`]),
    ...(id === '' ? ['wanted the id of a worker, found none; troupe workers lists them'] : []),
    ...(operand === 'undrain' && text.timeout !== undefined ? ['--timeout belongs to drain'] : []),
    ...foreign.map((flag) => `--${flag} does not belong to ${operand}`)
  ]
  if (problems.length > 0) throw new TroupeError('bad_request', `worker: ${problems.join('; ')}`)
  return { id, drain: operand === 'drain' }
}
