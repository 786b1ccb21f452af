/** What texts say, over the base configuration as it is then: each is read once as long as it is kept. Source: architecture 6. */
import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Definition, Problem } from '../definition/definition.ts'
import type { CustomTypes } from '../definition/fields/custom-types.ts'
import { type ReadOptions, readDefinition } from '../definition/read.ts'
import type { AllowedTypes } from '../definition/steps/allowed-types.ts'
import { SHORT_TEXT } from '../definition/yaml/nesting.ts'
import { oneAtATime } from '../platform/one-at-a-time.ts'
import type { BaseConfig } from './base-config.ts'
import { withCheckedDefaults } from './check-defaults.ts'
import { withCheckedSchemas } from './check-payload-schemas.ts'
import { readApart } from './text-thread.ts'

/** What readings that are kept may come to, about bytes; the oldest goes first. */
const KEPT_BYTES = 64 * 1024 * 1024
/** The size of a step, whatever its text, and of a definition without any. */
const BYTES_OF_STEP = 2_000
const bytesOf = (spec: string, { outline }: Definition) => 2 * spec.length + BYTES_OF_STEP * (1 + outline.steps.length)
export interface Reading {
  /** The one who asks; default: the engine itself. */
  by?: string | undefined
  /** Length up to which a text is read at once. */
  short?: number
}
export interface Checking {
  by?: string | undefined
  /** Whether the schema's file may be looked at; else it is a problem that it was not. Default: yes. */
  looks?: boolean | undefined
}

/** @param allowed which executors definitions may use; absent: all */
export function openReadings(clock: Clock, custom: CustomTypes, baseConfig: () => BaseConfig, allowed?: AllowedTypes) {
  const readings = new Map<string, { definition: Definition; bytes: number }>()
  let keptBytes = 0
  const callers = oneAtATime()

  /** A definition that is known, or what has to be read, and where it is kept then. */
  function reading(
    spec: string,
    options: ReadOptions,
    { identity, base, problem }: BaseConfig
  ): { known: Definition } | { key: string; all: ReadOptions } {
    if (problem !== undefined) return { known: broken(options, problem) }
    const input = JSON.stringify([options, identity])
    const key = createHash('sha256').update(input).update('\0').update(spec).digest('base64')
    const found = readings.get(key)
    if (found) return { known: keep(key, spec, found.definition) }
    return { key, all: { ...options, custom, ...(base ? { base } : {}), ...(allowed ? { allowed } : {}) } }
  }

  function keep(key: string, spec: string, definition: Definition): Definition {
    keptBytes -= readings.get(key)?.bytes ?? 0
    readings.delete(key)
    const bytes = bytesOf(spec, definition)
    readings.set(key, { definition, bytes })
    keptBytes += bytes
    for (const [oldest, { bytes }] of readings) {
      if (keptBytes <= KEPT_BYTES || oldest === key) break
      readings.delete(oldest)
      keptBytes -= bytes
    }
    return definition
  }

  function readNow(spec: string, options: ReadOptions, over: BaseConfig): Definition {
    const found = reading(spec, options, over)
    return 'known' in found ? found.known : keep(found.key, spec, readDefinition(spec, found.all))
  }

  // D262: `validate`, `createDefinition` and `replaceDefinition` return promises
  /** Long texts of one caller are read one after another: he leaves threads to others. */
  function readFor(by: string | undefined, spec: string, all: ReadOptions, short = SHORT_TEXT): Promise<Definition> {
    const read = () => readApart(spec, all, clock, { short })
    return by === undefined || spec.length <= short ? read() : callers.take(by, read)
  }

  /** A long text is read in a thread. @throws TroupeError bad_request: the thread died of it */
  async function read(
    spec: string,
    options: ReadOptions,
    { by, short }: Reading = {},
    over = baseConfig()
  ): Promise<Definition> {
    const found = reading(spec, options, over)
    return 'known' in found ? found.known : keep(found.key, spec, await readFor(by, spec, found.all, short))
  }

  /** Reads a text that is not kept, with the defaults of its params held against their schema. @throws as `read` */
  async function check(spec: string, options: ReadOptions, { by, looks }: Checking = {}): Promise<Definition> {
    const found = reading(spec, options, baseConfig())
    const definition = 'known' in found ? found.known : await readFor(by, spec, found.all)
    return withCheckedSchemas(await withCheckedDefaults(definition, clock, looks), clock)
  }

  return { read, readNow, check }
}

/** A definition of which nothing could be read. */
export function broken(
  { name: requested, fallbackName }: ReadOptions,
  message: string,
  place: Pick<Problem, 'line' | 'column'> = {}
): Definition {
  const name = requested ?? fallbackName ?? ''
  const outline = { name, group: '', description: '', tags: [], params: [], steps: [] }
  return { name, problems: [{ message, path: '', ...place }], warnings: [], outline }
}
