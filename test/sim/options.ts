/** What one invocation of the simulation was asked to do. */
export interface Options {
  first: number
  seeds: number
  /** Name of a planted bug. */
  bug?: string
  /** Absent: all of them. */
  part?: string
  /** Each thing that happens to an engine and its workers is told. */
  isTraced: boolean
}

const PARTS = ['schedules', 'workers']

/**
 * @param env `SEEDS` (200), `SEED0` (1) the first of them, `SEED` one alone, `BUG` a planted bug, `PART` one of the two parts, `TRACE=1`
 * @throws Error
 */
export function readOptions(env: NodeJS.ProcessEnv): Options {
  const whole = (name: string, otherwise: number) => {
    const value = env[name] ? Number(env[name]) : otherwise
    if (Number.isInteger(value) && value >= 0) return value
    throw new Error(`${name}: wanted a whole number, found ${JSON.stringify(env[name])}`)
  }
  if (env.PART && !PARTS.includes(env.PART))
    throw new Error(`PART: wanted ${PARTS.join(' or ')}, found ${JSON.stringify(env.PART)}`)
  const one = {
    ...(env.BUG ? { bug: env.BUG } : {}),
    ...(env.PART ? { part: env.PART } : {}),
    isTraced: env.TRACE === '1'
  }
  if (env.SEED) return { first: whole('SEED', 1), seeds: 1, ...one }
  return { first: whole('SEED0', 1), seeds: whole('SEEDS', 200), ...one }
}
