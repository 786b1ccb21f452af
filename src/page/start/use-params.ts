/** The state of a form for the params of a run. */
import { useMemo, useState } from 'preact/hooks'
import { type Answered, useAnswer } from '../use-answer.ts'
import { fieldsFor, filledWith, type Input, type ParamField, type ParamForm, paramsOf } from './param-fields.ts'

export interface ParamState {
  answered: Answered<ParamForm>
  fields: ParamField[]
  input: Input
  further: string
  /** `params` of the request; undefined: none are sent. */
  params: string | undefined
  set: (name: string, value: string) => void
  setFurther: (words: string) => void
  /** Takes the values of a run. */
  fill: (params: ParamForm['params']) => void
}

/** @param path of the params in the API */
export function useParams(path: string): ParamState {
  const answered = useAnswer<ParamForm>(path)
  const [input, setInput] = useState<Input>({})
  const [further, setFurther] = useState('')
  const { value } = answered
  const fields = useMemo(() => (value ? fieldsFor(value) : []), [value])
  return {
    answered,
    fields,
    input,
    further,
    params: paramsOf(fields, input, further),
    set: (name, text) => setInput((before) => ({ ...before, [name]: text })),
    setFurther,
    fill: (params) => {
      const filled = filledWith(fields, params)
      setInput(filled.input)
      setFurther(filled.further)
    }
  }
}
