import type { ComponentChildren, ComponentProps } from "preact"
import { Alert } from "../../ui/parts.tsx"
import { Secret } from "./copy.tsx"
import { Page, Section } from "./parts.tsx"
import { Link } from "./router.tsx"

interface KeyMadeProps extends Pick<ComponentProps<typeof Page>, "title" | "intro"> {
  readonly parent: { readonly to: string; readonly label: string }
  readonly label: string
  readonly token: string
  readonly once?: string
  /** Shown below the secret. */
  readonly note?: ComponentChildren
  /** The title of what to do with it. */
  readonly use?: string
  /** An example call. */
  readonly children: ComponentChildren
}

/** The page of a new key, with its secret, shown once. */
export const KeyMade = ({
  children,
  label,
  note,
  once = "The key is shown only once: doorlock stores only a hash of it.",
  token,
  use = "Try it",
  ...head
}: KeyMadeProps) => (
  <Page {...head}>
    <Alert tone="warning" title="Copy it now">
      <p>{once} Store it where your servers keep secrets.</p>
    </Alert>
    <Section title="Secret">
      <Secret label={label} text={token} />
      {note}
    </Section>
    <Section title={use}>{children}</Section>
    <p>
      <Link to={head.parent.to} class="button">
        I have copied it
      </Link>
    </p>
  </Page>
)
