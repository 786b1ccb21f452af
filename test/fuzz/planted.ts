/** Bugs that are planted in front of an engine, to see that the fuzzer finds such ones. Nothing but the fuzzer can plant them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '../../src/engine/engine.ts'
import { mainThreadMs } from '../support/processor-time.ts'

/** `throws`: a text from a query that is no id ends in a 500. `changes`: what is refused is half done. `shape`: an answer lacks its type. */
export const PLANTS = ['throws', 'changes', 'shape'] as const
/** `slow`: a long text is looked at in front of everybody, which only hostile sizes show. */
export type Plant = (typeof PLANTS)[number] | 'slow'

export const isPlant = (text: string): text is Plant => [...PLANTS, 'slow'].includes(text)

export function planted(engine: Engine, plant: Plant): Engine {
  const bugs: Record<Plant, Partial<Engine>> = {
    throws: {
      runs(filter = {}) {
        const { idContains = '', nameContains = '', name = '' } = filter
        if (![idContains, nameContains, name].every((text) => /^[\w-]*$/.test(text))) throw new TypeError('planted')
        return engine.runs(filter)
      }
    },
    changes: {
      async renameDefinition(fileName, newFileName) {
        try {
          await engine.renameDefinition(fileName, newFileName)
        } catch (error) {
          writeFileSync(join(engine.config.dagsDir, `${newFileName}.bak`), '')
          throw error
        }
      }
    },
    slow: {
      validate(spec, ...rest) {
        for (const until = mainThreadMs() + 500; spec.length > 500_000 && mainThreadMs() < until; );
        return engine.validate(spec, ...rest)
      }
    },
    shape: {
      runSpec: (key) => (engine.runSpec(key) === undefined ? undefined : (7 as unknown as string))
    }
  }
  return Object.assign(Object.create(engine), bugs[plant])
}
