/** Copies one text, and says so. */
import { putIntoClipboard } from '../../clipboard.ts'
import { useAction } from '../notices.tsx'

/** @param what it is, within a sentence: `run ID`, `command` */
export function useCopying(text: string, what: string): { copy: () => void; isBusy: boolean } {
  const { act, isBusy } = useAction()
  const copy = () =>
    void act(async () => {
      await putIntoClipboard(text)
      return `Copied the ${what}.`
    })
  return { copy, isBusy }
}
