/** A component that is drawn anew only when one of its properties is another. */
import { Component, type FunctionComponent } from 'preact'

export function memo<P extends object>(Drawn: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const keys = new Set([...Object.keys(next), ...Object.keys(this.props)]) as Set<keyof P>
      return [...keys].some((key) => next[key] !== this.props[key])
    }
    override render() {
      return <Drawn {...(this.props as P)} />
    }
  }
  return (props) => <Memo {...props} />
}
