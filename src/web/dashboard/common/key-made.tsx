import type { ComponentChildren, ComponentProps } from "preact"
import { Alert } from "../../ui/parts.tsx"
import { Secret } from "./copy.tsx"
import { Page, Section } from "./parts.tsx"
import { Link } from "./router.tsx"

interface KeyMadeProps extends Pick<ComponentProps<typeof Page>, "title" | "intro"> {
  readonly parent: { readonly to: string; readonly label: string }
  readonly label: string
  readonly token: string
  /** Shown below the secret. */
  readonly note?: ComponentChildren
  /** An example call. */
  readonly children: ComponentChildren
}

/** The page of a new key, with its secret, shown once. */
export const KeyMade = ({ children, label, note, token, ...head }: KeyMadeProps) => (
  <Page {...head}>
    <Alert tone="warning" title="Copy it now">
      <p>It is shown only once: doorlock stores only its hash. Store it where your servers keep secrets.</p>
    </Alert>
    <Section title="Secret">
      <Secret label={label} text={token} />
      {note}
    </Section>
    <Section title="Try it">{children}</Section>
    <p>
      <Link to={head.parent.to} class="button">
        I have copied it
      </Link>
    </p>
  </Page>
)
