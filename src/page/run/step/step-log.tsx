/** The log of a step: of one attempt of the run, which has a file of its own. */
import { useRef } from 'preact/hooks'
import { type LogProps, LogView } from './log-view.tsx'

interface Props extends Omit<LogProps, 'attempt'> {
  /** Tells the file from that of another attempt; empty: it is not known yet, or there is none. */
  file: string
  /** Attempt of the run, as far as the page has heard; absent: the log is of the run as a whole. */
  attempt: number | undefined
}

/** @returns grows when another file is shown: not when the name of the one that is shown becomes known */
function useFileNumber(path: string, stream: string, file: string): number {
  const shown = useRef({ of: '', file: '', number: 0 })
  const of = `${path} ${stream}`
  const { of: before, file: known, number } = shown.current
  const isAnother = of !== before || (known !== '' && known !== file)
  shown.current = { of, file, number: isAnother ? number + 1 : number }
  return shown.current.number
}

// D1429: the page asks for the log of a step by the attempt of the run that it knows of
/** The attempt is asked for by its number: the server may have begun another one that the page has not heard of. */
export function StepLog({ file, attempt, ...rest }: Props) {
  const number = useFileNumber(rest.path, rest.stream, file)
  return <LogView key={number} {...rest} {...(attempt === undefined ? {} : { attempt })} />
}
