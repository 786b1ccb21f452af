/** What one archive operation comes to, in whichever thread it is done. */
import { failureOf } from './codes.ts'
import { create } from './create.ts'
import { extract } from './extract.ts'
import { list } from './list.ts'
import type { ArchiveOutcome, ArchiveRequest } from './request.ts'

const OPERATIONS = { extract, create, list }
const KINDS = { extract: 'extract', create: 'create', list: 'other' } as const

/** @param tell receives each note */
export async function outcomeOf(request: ArchiveRequest, tell: (note: string) => void): Promise<ArchiveOutcome> {
  const { operation } = request
  try {
    return { exitCode: 0, result: await OPERATIONS[operation](request, tell) }
  } catch (error) {
    const { exitCode, message } = failureOf(error, KINDS[operation])
    return { exitCode, message }
  }
}
