import type { ComponentChildren } from "preact"
import { Form, Submit } from "../common/form.tsx"
import { Link, navigate } from "../common/router.tsx"
import { useUnsaved } from "../common/unsaved.tsx"

interface PageFormProps {
  readonly label: string
  /** The label of the submit button. */
  readonly act: string
  /** Where "Cancel" leads. */
  readonly back: string
  /** Whether leaving would lose input; the form then asks first. */
  readonly dirty?: boolean
  /** The fields for API messages that do not begin with a field's name, by the whole message. */
  readonly about?: Readonly<Record<string, string>>
  /** Rejects with `ApiFailure`; calls `leave` once the input is saved. */
  readonly onSubmit: (leave: (to: string) => Promise<void>) => Promise<void>
  readonly children: ComponentChildren
}

export const PageForm = ({ act, back, children, dirty = false, onSubmit, ...form }: PageFormProps) => {
  const { question, saved } = useUnsaved(dirty)
  const leave = (to: string) => {
    saved()
    return navigate(to, { replace: true })
  }
  return (
    <>
      <Form {...form} class="form section" onSubmit={() => onSubmit(leave)}>
        {children}
        <div class="row">
          <Submit>{act}</Submit>
          <Link to={back} class="button quiet">
            Cancel
          </Link>
        </div>
      </Form>
      {question}
    </>
  )
}
