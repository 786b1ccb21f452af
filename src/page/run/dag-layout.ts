/** Asks the worker to lay a graph out. */
import { useEffect, useState } from 'preact/hooks'
import type { DagLayout, DagShape } from './dag-shape.ts'

/** Set by the build: the name of the worker's file. */
declare const DAG_LAYOUT_FILE: string

let worker: Worker | undefined
let count = 0

function layoutOf(shape: DagShape): Promise<DagLayout> {
  worker ??= new Worker(`page/${DAG_LAYOUT_FILE}`)
  const id = ++count
  const asked = worker
  return new Promise((resolve) => {
    const heard = ({ data }: MessageEvent<{ id: number; layout: DagLayout }>) => {
      if (data.id !== id) return
      asked.removeEventListener('message', heard)
      resolve(data.layout)
    }
    asked.addEventListener('message', heard)
    asked.postMessage({ id, shape })
  })
}

/** The layout of a graph; undefined while it is made. @param key changes when the graph does */
export function useLayout(shape: DagShape, key: string): DagLayout | undefined {
  const [laid, setLaid] = useState<{ key: string; layout: DagLayout }>()
  // The key stands for the shape, which is made anew each time.
  useEffect(() => {
    if (shape.room.width === 0) return
    let isWanted = true
    void layoutOf(shape).then((layout) => isWanted && setLaid({ key, layout }))
    return () => {
      isWanted = false
    }
  }, [key])
  return laid?.key === key ? laid.layout : undefined
}
