/** What the server finds in a text that is being typed. */
import { useCallback, useRef, useState } from 'preact/hooks'
import type { DagDetails } from '../answers.ts'
import { ask, type Refusal, refusalOf } from '../api.ts'
import { problemOf, type TextProblem } from './text/found-problems.ts'

interface Validated {
  valid: boolean
  errors: string[]
  warnings?: string[]
  dag?: DagDetails
}

export interface Checked {
  /** What was checked. */
  text: string
  problems: readonly TextProblem[]
}

export interface Checking {
  /** The latest text that was checked, and what was found. */
  checked: Checked | undefined
  /** The latest text that had steps. */
  dag: DagDetails | undefined
  refusal: Refusal | undefined
  /** Resolves with the problems; undefined: the server did not say, or another text came meanwhile. */
  check: (text: string) => Promise<readonly TextProblem[] | undefined>
}

/** @param fileName under which the text will be stored; empty: not known yet */
export function useCheck(fileName: string): Checking {
  const [checked, setChecked] = useState<Checked>()
  const [dag, setDag] = useState<DagDetails>()
  const [refusal, setRefusal] = useState<Refusal>()
  const running = useRef<AbortController>(undefined)
  const check = useCallback(
    async (text: string) => {
      running.current?.abort()
      const mine = new AbortController()
      running.current = mine
      try {
        const body = { spec: text, ...(fileName === '' ? {} : { name: fileName }) }
        const answer = await ask<Validated>('/dags/validate', { method: 'POST', body, signal: mine.signal })
        if (mine.signal.aborted) return undefined
        const warnings = (answer.warnings ?? []).map((warning) => problemOf(warning, true))
        const problems = [...answer.errors.map((error) => problemOf(error)), ...warnings]
        setChecked({ text, problems })
        setRefusal(undefined)
        if (answer.dag && answer.dag.steps.length > 0) setDag(answer.dag)
        return problems
      } catch (error) {
        if (!mine.signal.aborted) setRefusal(refusalOf(error))
        return undefined
      }
    },
    [fileName]
  )
  return { checked, dag, refusal, check }
}
