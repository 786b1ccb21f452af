/** All questions, in the order in which they are asked. */
import type { Question } from '../question.ts'
import { burst } from './burst.ts'
import { chain, chainExec } from './chain.ts'
import { coldStart } from './cold-start.ts'
import { definitions } from './definitions.ts'
import { halfOpen } from './half-open.ts'
import { idle } from './idle.ts'
import { latency } from './latency.ts'
import { layers, layersExec } from './layers.ts'
import { log } from './log.ts'
import { parallel } from './parallel.ts'
import { parse } from './parse.ts'
import { queue, waiting } from './queue.ts'
import { read } from './read.ts'
import { recovery } from './recovery.ts'
import { runs } from './runs.ts'
import { due, timetable } from './schedules.ts'
import { sleepers } from './sleepers.ts'
import { wide, wideExec } from './wide.ts'

export const questions: readonly Question[] = [
  chain,
  chainExec,
  wide,
  wideExec,
  layers,
  layersExec,
  latency,
  burst,
  parallel,
  sleepers,
  queue,
  waiting,
  due,
  timetable,
  idle,
  coldStart,
  recovery,
  parse,
  read,
  definitions,
  runs,
  log,
  halfOpen
]
