/** Shorthands of the tests of the configuration: a text to what it sets, or to what is wrong with it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { explainConfig, readConfig, type Settings } from '../../src/config.ts'
import { TroupeError } from '../../src/errors.ts'
import { temporaryFolder } from '../support/homes.ts'

export type Environment = Record<string, string>

/** A home with this configuration file. */
export function homeWith(text: string, name = 'config.yaml'): string {
  const home = temporaryFolder()
  writeFileSync(join(home, name), text, { mode: 0o600 })
  return home
}

/** The configuration of a home with this file. */
export const read = (text: string, env: Environment = {}, settings: Settings = {}) =>
  readConfig({ home: homeWith(text), ...settings }, env)

/** The rows of the table, by key. */
export const shown = (text: string, env: Environment = {}, settings: Settings = {}) => {
  const rows = explainConfig({ home: homeWith(text), ...settings }, env).shown()
  return Object.fromEntries(rows.map(({ key, value, source }) => [key, { value, source }]))
}

/** What a configuration is refused for. */
export function problemsOf(work: () => unknown): string[] {
  try {
    work()
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'bad_request') {
      const { errors = [error.message] } = error.details ?? {}
      return errors as string[] // our own details
    }
    throw error
  }
  return expect.fail('it was accepted')
}
