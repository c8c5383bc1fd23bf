/** Keeps an error in one page from breaking the rest of the dashboard. */
import { Component, type ComponentChildren } from "preact"
import { Button } from "../../ui/parts.tsx"
import { Page } from "./parts.tsx"

interface BoundaryProps {
  readonly children: ComponentChildren
}

interface BoundaryState {
  readonly broken: boolean
}

/** Shows that a page failed instead of showing nothing, for example an older page version with a response it does not know. */
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
