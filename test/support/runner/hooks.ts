/** What mocha does around the files, in whichever process they run. A hook in a module that they share would be of the first of them alone. */
import { endPrograms } from '../cli/program.ts'
import { removeFolders } from '../homes.ts'
import { endServices, expectServices } from '../services.ts'
import { noteTimes } from './times.ts'

export const mochaHooks = {
  afterAll(this: Mocha.Context): void {
    endPrograms()
    removeFolders()
    const root = this.test?.parent
    noteTimes((root?.suites[0] ?? root?.tests[0])?.file)
  }
}

export const mochaGlobalSetup = expectServices
export const mochaGlobalTeardown = endServices
