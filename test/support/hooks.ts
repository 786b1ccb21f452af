/** What mocha does around the files, in whichever process they run. A hook in a module that they share would be of the first of them alone. */
import { endPrograms } from './cli/program.ts'
import { removeFolders } from './homes.ts'
import { endServices, expectServices } from './services.ts'

export const mochaHooks = {
  afterAll(): void {
    endPrograms()
    removeFolders()
  }
}

export const mochaGlobalSetup = expectServices
export const mochaGlobalTeardown = endServices
