/** What one invocation of the simulation was asked to do. */
export interface Options {
  first: number
  seeds: number
  /** Name of a planted bug. */
  bug?: string
}

/** @param env `SEEDS` (200), `SEED0` (1) the first of them, `SEED` one alone, `BUG` a planted bug. @throws Error */
export function readOptions(env: NodeJS.ProcessEnv): Options {
  const whole = (name: string, otherwise: number) => {
    const value = env[name] ? Number(env[name]) : otherwise
    if (Number.isInteger(value) && value >= 0) return value
    throw new Error(`${name}: wanted a whole number, found ${JSON.stringify(env[name])}`)
  }
  const bug = env.BUG ? { bug: env.BUG } : {}
  if (env.SEED) return { first: whole('SEED', 1), seeds: 1, ...bug }
  return { first: whole('SEED0', 1), seeds: whole('SEEDS', 200), ...bug }
}
