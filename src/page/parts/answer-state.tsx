/** Beside or instead of what the API answered: that it has not answered yet, or why it did not. */
import type { Answered } from '../use-answer.ts'
import { Awaited } from './awaited.tsx'
import { Problem } from './problem.tsx'

/** To be given all that `useAnswer` returns. Nothing is to be seen where an answer is there and nothing is wrong. */
export const AnswerState = ({ value, refusal, refresh }: Answered<unknown>) => (
  <>
    <Problem refusal={refusal} retry={refresh} />
    {value === undefined && !refusal && <Awaited />}
  </>
)
