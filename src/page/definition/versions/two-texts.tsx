/** What is different between two versions of a definition. */
import type { DefinitionVersion } from '../../answers.ts'
import { pathOf } from '../../api.ts'
import { useEditorFile } from '../../editor/load-editor.ts'
import { Difference } from '../../editor/text-box.tsx'
import { Awaited } from '../../parts/awaited.tsx'
import { useNow } from '../../parts/now.ts'
import { Problem } from '../../parts/problem.tsx'
import { changeQuery } from '../../route.ts'
import { timeText } from '../../text.ts'
import { useAnswer } from '../../use-answer.ts'

interface Props {
  fileName: string
  versions: readonly DefinitionVersion[]
  before: DefinitionVersion | undefined
  after: DefinitionVersion | undefined
}

export function TwoTexts({ fileName, versions, before, after }: Props) {
  const pathFor = (version: DefinitionVersion | undefined) =>
    version && `/dags${pathOf(fileName, 'versions', version.revision)}`
  const [one, other] = [useAnswer<{ spec: string }>(pathFor(before)), useAnswer<{ spec: string }>(pathFor(after))]
  const { file, refusal: missing, retry } = useEditorFile()
  const now = useNow(false)
  const choice = (label: string, key: 'before' | 'after', chosen: DefinitionVersion | undefined) => (
    <label class="field">
      {label}
      <select
        value={chosen?.revision ?? ''}
        onChange={({ currentTarget }) =>
          changeQuery({ before: before?.revision, after: after?.revision, [key]: currentTarget.value })
        }
      >
        {withoutDoubles(versions).map(({ number, revision, atMs }) => (
          <option key={revision} value={revision}>
            {number}, {timeText(atMs, now)}
          </option>
        ))}
      </select>
    </label>
  )
  const refused = [one, other].find(({ refusal }) => refusal)
  return (
    <section class="two-texts" aria-label="What is different">
      <h2 class="minor">What is different</h2>
      <div class="filters">
        {choice('From', 'before', before)}
        {choice('To', 'after', after)}
      </div>
      {refused && <Problem refusal={refused.refusal} retry={refused.refresh} />}
      <Problem refusal={missing} retry={retry} />
      {file && one.value && other.value ? (
        one.value.spec === other.value.spec ? (
          <p class="soft">Nothing: it is the same text.</p>
        ) : (
          <Difference
            key={`${before?.revision} ${after?.revision}`}
            file={file}
            before={one.value.spec}
            after={other.value.spec}
            label={`Changes of ${fileName}`}
          />
        )
      ) : (
        !refused && !missing && <Awaited />
      )}
    </section>
  )
}

/** A text that was restored counts once: as the newest. */
const withoutDoubles = (versions: readonly DefinitionVersion[]): DefinitionVersion[] =>
  versions.filter(({ revision }, at) => versions.findIndex((one) => one.revision === revision) === at)
