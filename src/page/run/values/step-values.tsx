/** What a step had: its texts with their values, and its variables, those first that differ from its last success. Source: docs/page.md "Values". */
import type { StepValues } from '../../answers.ts'
import { pathOf } from '../../api.ts'
import { AnswerState } from '../../parts/answer-state.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { linkTo } from '../../route.ts'
import { useAnswer } from '../../use-answer.ts'
import { Code } from '../facts.tsx'

type Value = StepValues['values'][number]

interface Props {
  /** Path of the run in the API. */
  path: string
  step: string
  /** `seq` of the event that is shown; undefined: now. */
  at: number | undefined
  /** What the values depend on: another one has them fetched again. */
  cause: number
}

export function Values({ path, step, at, cause }: Props) {
  const moment = at === undefined ? '' : `?at=${at}`
  const { value: found, ...state } = useAnswer<StepValues>(`${path}/steps${pathOf(step)}/values${moment}`, cause)
  if (!found) return <AnswerState {...state} />
  const { against, texts, values, omitted } = found
  const isFirst = ({ change, isUsed }: Value) => change !== undefined || isUsed
  const rest = values.filter((value) => !isFirst(value))
  const differing = values.filter(({ change }) => change).length
  return (
    <section class="step-values" aria-label={`Values of ${step}`}>
      <p class="soft">
        {against ? (
          <>
            {differing === 0 ? 'No value differs' : `${differing} value${differing > 1 ? 's differ' : ' differs'}`} from{' '}
            <a href={linkTo(['runs', against.name, against.dagRunId], { step, side: 'values' })}>its last success</a>
          </>
        ) : (
          'No earlier run in which it succeeded'
        )}
      </p>
      <Table of={values.filter(isFirst)} label="Values that the step names" />
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more that the step does not name</summary>
          <Table of={rest} label="Other values" />
        </details>
      )}
      {omitted > 0 && <p class="soft">{omitted} more are not shown.</p>}
      {texts.map(({ name, written, text, change, before }, at) => (
        // A precondition may occur twice.
        <section key={at} aria-label={titleOf(name)}>
          <h3>
            {titleOf(name)} <Change change={change} />
          </h3>
          <Code text={text ?? written} what={`${titleOf(name).toLowerCase()} with its values`} />
          {text !== undefined && <Beside title="As written" text={written} />}
          {before !== undefined && <Beside title="In its last success" text={before} />}
        </section>
      ))}
      <p class="soft">
        Works in <LongText text={found.workingDir} label="Working directory" isCode />
      </p>
    </section>
  )
}

const Beside = ({ title, text }: { title: string; text: string }) => (
  <>
    <h4 class="soft">{title}</h4>
    <Code text={text} />
  </>
)

const TITLES: Readonly<Record<string, string>> = {
  call: 'Workflow that it calls',
  dir: 'Directory',
  stdout: 'Copy of its output',
  stderr: 'Copy of its errors',
  ask: 'Question',
  for: 'Sleeps for',
  repeat: 'Condition of its repetition'
}
const titleOf = (name: string): string =>
  TITLES[name] ??
  (name.startsWith('params.')
    ? `Parameter ${name.slice('params.'.length)}`
    : `${name.charAt(0).toUpperCase()}${name.slice(1)}`)

const Table = ({ of, label }: { of: readonly Value[]; label: string }) =>
  of.length === 0 ? null : (
    <table aria-label={label}>
      <tbody>
        {of.map((value) => (
          <tr key={value.name} class={value.change ? 'differs' : undefined}>
            <th scope="row">
              <code>{value.name}</code>
              <span class="soft">{sourceText(value)}</span>
            </th>
            <td>
              <Shown value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )

const CHANGES = { changed: ['≠', 'Changed'], added: ['+', 'New'], removed: ['−', 'Absent'] } as const

const Change = ({ change }: { change: Value['change'] | undefined }) => {
  if (!change) return null
  const [sign, word] = CHANGES[change]
  return (
    <b class="change">
      <span aria-hidden="true">{sign}</span> {word}
    </b>
  )
}

function Shown({ value }: { value: Value }) {
  const { name, value: text, written, length, isPartial, change, before } = value
  return (
    <>
      <Change change={change} />{' '}
      {text === undefined ? (
        change === 'removed' ? null : (
          <span class="soft">{absentText(value)}</span>
        )
      ) : text === '' ? (
        <span class="soft">empty</span>
      ) : (
        <LongText text={text} label={name} isCode />
      )}
      {length !== undefined && <span class="soft"> … {length} characters</span>}
      {isPartial && <span class="soft"> (a part is not on record)</span>}
      {written !== undefined && (
        <span class="soft from">
          from <code>{written}</code>
        </span>
      )}
      {before !== undefined && (
        <span class="from">
          was <LongText text={before === '' ? 'empty' : before} label={`${name} in its last success`} isCode />
        </span>
      )}
    </>
  )
}

const SOURCES: Readonly<Record<Value['from'], string>> = {
  step: 'env of the step',
  param: 'parameter',
  output: 'output',
  secret: 'secret',
  dotenv: 'dotenv file',
  env: 'env',
  base: 'env of the base file',
  run: 'the engine',
  server: 'the server'
}
const sourceText = ({ from, of }: Value): string => (of === undefined ? SOURCES[from] : `output of ${of}`)

const absentText = ({ from }: Value): string =>
  from === 'secret' ? 'hidden' : from === 'output' ? 'replaced by a later attempt' : 'not on record'
