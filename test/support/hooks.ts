/** What mocha does around the files, in whichever process they run. A hook in a module that they share would be of the first of them alone. */
import { removeFolders } from './homes.ts'
import { endPrograms } from './program.ts'
import { endServices, expectServices } from './services.ts'

export const mochaHooks = {
  afterAll(): void {
    endPrograms()
    removeFolders()
  }
}

export const mochaGlobalSetup = expectServices
export const mochaGlobalTeardown = endServices
