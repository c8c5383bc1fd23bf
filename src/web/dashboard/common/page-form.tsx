/** A form that is a page's main content, with a button that submits and a link back. */
import type { ComponentChildren } from "preact"
import { Form, Submit } from "./form.tsx"
import { Link, navigate } from "./router.tsx"
import { useUnsaved } from "./unsaved.tsx"

interface PageFormProps {
  readonly label: string
  /** The label of the button that submits. */
  readonly act: string
  /** Where "Cancel" leads. */
  readonly back: string
  /** Whether leaving would lose input; the reader is then asked first. */
  readonly dirty?: boolean
  /** The field for API messages that do not begin with its name, by the whole message. */
  readonly about?: Readonly<Record<string, string>>
  /** Rejects with `ApiFailure`. Call `leave` to go to another page once the input is saved. */
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
