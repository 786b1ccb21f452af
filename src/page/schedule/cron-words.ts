/** The words for cron expressions, loaded when they are first wanted. */
import { useEffect, useState } from 'preact/hooks'
import { fileLoader } from '../later/load-file.ts'
import type { CronWords } from './cron-file.ts'
import { type Meaning, meaningOf } from './meaning.ts'

/** Set by the build: the name of the file. */
declare const CRON_FILE: string

declare global {
  /** Set by the file. */
  var troupeCronWords: CronWords | undefined
}

// D1331: cron expressions are put into words by a library that is loaded when a schedule is shown
const loadWords = fileLoader(CRON_FILE, () => globalThis.troupeCronWords, 'A schedule in words')

/** Loads the words when it is first used. @returns the meaning of an expression */
export function useCronWords(): (expression: string) => Meaning {
  const [wordsOf, setWords] = useState(() => globalThis.troupeCronWords)
  useEffect(() => {
    if (wordsOf) return
    let isWanted = true
    loadWords().then(
      (loaded) => isWanted && setWords(() => loaded),
      () => {} // the expressions are shown
    )
    return () => {
      isWanted = false
    }
  }, [wordsOf])
  return (expression) => meaningOf(expression, wordsOf)
}
