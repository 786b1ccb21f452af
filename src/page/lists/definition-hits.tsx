/** Definitions whose text has what is looked for, each with the lines around it. Source: http-api "Definitions" (search). */
import type { DagSummary } from '../answers.ts'
import { AnswerState } from '../parts/answer-state.tsx'
import { LongText } from '../parts/long-text.tsx'
import { linkTo } from '../route.ts'
import { useMaySomewhere } from '../session.ts'
import { useAnswer } from '../use-answer.ts'

interface Match {
  /** Several lines. */
  line: string
  lineNumber: number
  /** Number of the first of them. */
  startLine: number
}
interface Answer {
  results: { name: string; dag: DagSummary; matches: Match[] }[]
  /** Files that could not be searched, and why the text cannot be looked for. */
  errors: string[]
}

/** Hits of one definition. */
const MOST_SHOWN = 20

/** @param text a regular expression, whatever its case */
export function DefinitionHits({ text }: { text: string }) {
  const answer = useAnswer<Answer>(`/dags/search?${new URLSearchParams({ q: text })}`)
  const mayWrite = useMaySomewhere('write')
  const { value } = answer
  if (!value) return <AnswerState {...answer} />
  return (
    <div class="hits">
      {value.errors.length > 0 && (
        <div class="problem">
          <LongText text={value.errors.join('\n')} label="Why not all was searched" />
        </div>
      )}
      <p class="soft" role="status">
        {value.results.length === 0
          ? 'No definition has this in its text.'
          : `In ${value.results.length} definition${value.results.length > 1 ? 's' : ''}.`}
      </p>
      {value.results.map(({ name, dag, matches }) => (
        <section key={name} aria-label={name}>
          <h2>
            <a href={linkTo(['definitions', name], { tab: 'text' })}>{dag.name}</a>
          </h2>
          {matches.slice(0, MOST_SHOWN).map(({ line, lineNumber, startLine }) => (
            <div key={lineNumber} class="hit">
              <a
                class="mono"
                href={
                  mayWrite
                    ? linkTo(['definitions', name, 'edit'], { line: String(lineNumber) })
                    : linkTo(['definitions', name], { tab: 'text' })
                }
              >
                Line {lineNumber}
                <span class="unseen"> of {name}</span>
              </a>
              <code>
                {line.split('\n').map((part, at) => (
                  <span key={at} class={startLine + at === lineNumber ? 'found-line' : 'soft'}>
                    {part || ' '}
                  </span>
                ))}
              </code>
            </div>
          ))}
          {matches.length > MOST_SHOWN && <p class="soft">And {matches.length - MOST_SHOWN} more places.</p>}
        </section>
      ))}
    </div>
  )
}
