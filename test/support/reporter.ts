/** The spec reporter, with a last line that a script can read: `N passed, N failed`. */
import Mocha from 'mocha'

export default class Reporter extends Mocha.reporters.Spec {
  override epilogue(): void {
    super.epilogue()
    const { passes, failures, pending } = this.stats
    if (pending > 0) Mocha.reporters.Base.consoleLog(`${pending} skipped: see above for what was not there`)
    Mocha.reporters.Base.consoleLog(`${passes} passed, ${failures} failed`)
  }
}
