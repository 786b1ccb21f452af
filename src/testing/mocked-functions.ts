/** Functions of the host application: each is there, and none is called unless it passes through. */
import type { Json } from '../../machines/vocabulary.ts'
import type { HostFunction, HostFunctions } from '../executors/function/function.ts'
import type { Call, Given } from '../executors/function/types.ts'
import type { End, MockCall } from './ends.ts'
import type { Mocks } from './mocks.ts'
import type { Timeline } from './timeline.ts'

/** @param given those that the test has passed: their schemas check params */
export function mockedFunctions(timeline: Timeline, mocks: Mocks, given: HostFunctions): HostFunctions {
  const { clock, tell, track } = timeline

  function mocked(name: string): HostFunction {
    const real = given.get(name)
    return {
      name,
      ...(real?.params ? { params: real.params } : {}),
      ...(real?.isOfRun ? { isOfRun: true as const } : {}),
      run(call) {
        const about = asCall(call)
        const step = 'step' in about ? `${about.run.name}/${about.step}` : undefined
        const keys = [
          ...(step === undefined ? [] : [step]),
          `function:${name}`,
          ...(step === undefined ? [] : ['type:function'])
        ]
        // D1133: what a DAG of code answers for its own steps is not mocked
        if (real?.isOfRun && name.includes('#') && !keys.some(mocks.isSet)) return through(name, real, call)
        const seen: MockCall = {
          params: about.params as Json, // they have been stored
          attempt: 'step' in about ? about.attempt : 1,
          at: clock.now(),
          ...('step' in about ? { run: about.run } : {}),
          ...(step === undefined ? {} : { step })
        }
        const what = step === undefined ? `function ${name}` : `step ${step}, which calls the function ${name},`
        const own = step === undefined ? `{ function: '${name}' }` : `'${step}'`
        const place = 'step' in about ? `${about.run.name}/${about.run.dagRunId}/${about.step}` : `function ${name}`
        return mocks
          .endFor(
            {
              what,
              keys,
              advice: `mock(${own}, ...) or passThrough(${step === undefined ? `{ name: '${name}' }` : own})`
            },
            seen,
            'through' as const
          )
          .then((end) => (end === 'through' ? through(name, real, call) : arrived(end, place)))
      }
    }
  }
  const arrived = (end: End, place: string): Promise<Json> =>
    new Promise((resolve, reject) => {
      const arrive = () => tell(place, () => (end.error ? reject(end.error) : resolve(end.value)))
      if (end.afterMs > 0) clock.after(end.afterMs, arrive)
      else arrive()
    })
  function through(name: string, real: HostFunction | undefined, call: object): Promise<unknown> {
    if (!real) throw new Error(`function ${name} is not among the functions of the test engine`)
    return track(Promise.resolve(real.run(call)))
  }

  const all = new Map<string, HostFunction>()
  return Object.assign(new Map(given), {
    has: () => true,
    get(name: string): HostFunction {
      const known = all.get(name) ?? mocked(name)
      all.set(name, known)
      return known
    }
  })
}

/** A step gives more than a condition, variables or params do. */
const asCall = (call: object): Call<unknown> | Given<unknown> => call as Call<unknown> | Given<unknown>
