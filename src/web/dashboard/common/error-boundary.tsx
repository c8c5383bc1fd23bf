/** A page that breaks takes nothing else with it. */
import { Component, type ComponentChildren } from "preact"
import { Button } from "../../ui/parts.tsx"
import { Page } from "./parts.tsx"

interface BoundaryProps {
  readonly children: ComponentChildren
}

interface BoundaryState {
  readonly broken: boolean
}

/** Says that a page broke, as one of an older version may by an answer it does not know, rather than showing nothing at all. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { broken: false }

  static override getDerivedStateFromError(): BoundaryState {
    return { broken: true }
  }

  override render() {
    return this.state.broken ? (
      <Page
        title="This page broke"
        intro="That is a fault of doorlock. It may be newer than the page you have open."
      >
        <Button look="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      </Page>
    ) : (
      this.props.children
    )
  }
}
