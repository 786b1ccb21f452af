/** The text of a definition, with each problem below its line. */
import { pathOf } from '../api.ts'
import { LongText } from '../parts/long-text.tsx'
import { Problem } from '../parts/problem.tsx'
import { useAnswer } from '../use-answer.ts'

/** @param changes grows when the definition may have changed */
export function SpecText({ fileName, changes }: { fileName: string; changes: number }) {
  const path = `/dags${pathOf(fileName)}/spec`
  const { value, refusal, refresh } = useAnswer<{ spec: string; errors: string[] }>(path, changes)
  if (!value) return <Problem refusal={refusal} retry={refresh} />
  const lines = value.spec.replace(/\n$/, '').split('\n')
  const problems = new Map<number, string[]>()
  const elsewhere: string[] = []
  for (const error of value.errors) {
    const [, message = '', line = ''] = /^(.*) \(line (\d+)(?:, column \d+)?\)$/s.exec(error) ?? []
    if (line === '') elsewhere.push(error)
    else problems.set(Number(line), [...(problems.get(Number(line)) ?? []), message])
  }
  return (
    <>
      {elsewhere.length > 0 && (
        <div class="problem">
          <LongText text={elsewhere.join('\n')} label="Problems" />
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys */}
      <section class="spec" tabIndex={0} aria-label="Text of the definition">
        {lines.map((line, at) => {
          const found = problems.get(at + 1)
          return (
            // A line has no key but its number.
            <div key={at} class={found ? 'bad' : ''}>
              <span class="line-number">{at + 1}</span>
              <code>{line || ' '}</code>
              {found && (
                <p>
                  <LongText text={found.join('\n')} label={`Problems of line ${at + 1}`} />
                </p>
              )}
            </div>
          )
        })}
      </section>
    </>
  )
}
