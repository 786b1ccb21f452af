/** Bugs that are planted in front of an engine, to see that the fuzzer finds such ones. Nothing but the fuzzer can plant them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '../../src/engine.ts'

/** `throws`: a text from a query that is no id ends in a 500. `changes`: what is refused is half done. `shape`: an answer lacks its type. */
export const PLANTS = ['throws', 'changes', 'shape'] as const
export type Plant = (typeof PLANTS)[number]

export const isPlant = (text: string): text is Plant => PLANTS.some((plant) => plant === text)

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
    shape: {
      runSpec: (key) => (engine.runSpec(key) === undefined ? undefined : (7 as unknown as string))
    }
  }
  return Object.assign(Object.create(engine), bugs[plant])
}
