/** The title of the document: the view, and before it how much waits for the visitor. */
let [view, count] = ['', 0]

const show = () => {
  document.title = `${count > 0 ? `(${count}) ` : ''}${view} – Troupe`
}

export function setTitle(of: string): void {
  view = of
  show()
}

/** @param waits how many steps wait for the visitor */
export function setTitleCount(waits: number): void {
  count = waits
  if (view !== '') show()
}
