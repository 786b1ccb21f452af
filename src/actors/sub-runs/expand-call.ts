/** Evaluates what a step calls: the name of the sub workflow, and the parameters of each run. Source: execution-semantics 9.1, 9.2. */
import type { AttemptInput } from '../../../machines/node.ts'
import type { Param, Step, SubRunRef } from '../../../machines/vocabulary.ts'
import { defaultParamsText, expandParam } from '../../definition/dag/params.ts'
import { itemsOf, itemText } from '../../definition/steps/items.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import { expandField, noting, withVariables } from '../../definition/text/variables.ts'
import type { StepServices } from '../root/step-services.ts'
import { surroundingsOf } from '../step/prepare-step.ts'

/** Returns the value. @param where its location, without a value @throws Error when it contains a secret */
type Shown = (value: string, where: string) => string

type CallParams = Required<Pick<SubRunRef, 'params' | 'written'>>

export interface ExpandedCall {
  /** Name or file of the sub workflow. */
  target: string
  /** Params for each item, or once. */
  refs: CallParams[]
}

/** @throws Error when a text cannot be evaluated, or a parameter contains a secret */
export async function expandCall(
  services: StepServices,
  input: AttemptInput,
  signal: AbortSignal
): Promise<ExpandedCall> {
  const { scope, step, view } = await surroundingsOf(services, input, { signal })
  const target = (await expandField(step.call ?? '', view.all)).trim()
  // The parameters are stored and shown as they are. Each is checked before it is quoted, because quoting may change the text.
  const shown: Shown = (value, where) => {
    if (scope.secrets.hidesIn(value))
      throw new Error(
        `params of a sub workflow hold a secret (${where}): name it under \`secrets\` of the sub workflow instead`
      )
    return value
  }
  const itemOf = (number: number, count: number) => `item ${number} of ${count}`
  // D1145: the params of a call are JSON where a function answers them
  const answered =
    input.answers?.items ?? (input.answers && 'params' in input.answers ? [input.answers.params] : undefined)
  if (answered) return { target, refs: answered.map((params) => ({ params: JSON.stringify(params), written: [] })) }
  const items =
    step.parallel &&
    (await itemsOf(step.parallel, view.all, (text, number, count) => shown(text, itemOf(number, count))))
  if (!items) return { target, refs: [await paramsOf(step, view.all, shown)] }
  const refs = items.map((item, index) => {
    const where = itemOf(index + 1, items.length)
    return paramsOf(step, withItem(view.all, item), shown, { text: shown(item, where), where })
  })
  return { target, refs: await Promise.all(refs) }
}

const withItem = (look: Lookup, item: string): Lookup =>
  withVariables(look, new Map([['ITEM', item]]), new Set(['ITEM']))

/**
 * The parameters of a sub run as text, and which of them are not data. Without `params`, the words of an item, or the keys of a map,
 * are the parameters.
 */
async function paramsOf(
  { params }: Step,
  look: Lookup,
  shown: Shown,
  item?: { text: string; where: string }
): Promise<CallParams> {
  if (!params) return { params: item === undefined ? '' : itemText(item.text), written: [] }
  const expanded: Param[] = []
  const written: string[] = []
  for (const param of params) {
    const where = [param.name, ...(item ? [item.where] : [])].join(', ')
    const { look: noted, wasData } = noting(param.value, look)
    expanded.push({ ...param, value: await expandParam(param, noted, (text) => shown(text, where)) })
    if (!wasData()) written.push(param.name)
  }
  return { params: defaultParamsText(expanded), written }
}
