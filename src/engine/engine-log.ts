/** The log of an engine, for what serves it elsewhere in the process. */
import { type Log, silent } from '../log.ts'
import type { Engine } from './engine.ts'

const logs = new WeakMap<object, Log>()

/** @returns the engine */
export function withLog(engine: Engine, log: Log): Engine {
  // The config is the same object in every view of the engine.
  logs.set(engine.config, log)
  return engine
}

export const logOf = ({ config }: Engine): Log => logs.get(config) ?? silent
