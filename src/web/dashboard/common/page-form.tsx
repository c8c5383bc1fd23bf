import type { ComponentProps } from "preact"
import { Form, Submit } from "./form.tsx"
import { Link, navigate } from "./router.tsx"
import { useUnsaved } from "./unsaved.tsx"
import { RequireWriteAccess } from "./write-access.tsx"

interface PageFormProps extends Pick<ComponentProps<typeof Form>, "about" | "children"> {
  /** The label of the submit button, and of the form. */
  readonly act: string
  /** Where "Cancel" leads. */
  readonly back: string
  /** Asks before the user leaves. */
  readonly dirty?: boolean
  /** If it rejects, the form shows why. Call `leave` to go to another page once the input is saved. */
  readonly onSubmit: (leave: (to: string) => Promise<void>) => Promise<void>
}

/** A form that is a page's main content. Only members and owners see it. */
export const PageForm = ({ act, back, children, dirty = false, onSubmit, ...form }: PageFormProps) => {
  const question = useUnsaved(dirty)
  const leave = (to: string) => navigate(to, { agreed: true, replace: true })
  return (
    <RequireWriteAccess>
      <Form {...form} label={act} class="form section" onSubmit={() => onSubmit(leave)}>
        {children}
        <div class="row">
          <Submit>{act}</Submit>
          <Link to={back} class="button quiet">
            Cancel
          </Link>
        </div>
      </Form>
      {question}
    </RequireWriteAccess>
  )
}
