/**
 * Forms that show the API's errors at their fields and keep the input. `@tanstack/form-core` (3 kB) does none of this
 * file's work: finding the field for an API message, focus, and labels for screen readers.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks"
import { requiredContext } from "../../context.ts"
import { Alert, Button, describedBy, Field as Labelled } from "../../ui/parts.tsx"
import { useAction } from "./action.tsx"
import type { ApiFailure } from "./call.ts"

interface Refusal {
  /** The field with the error; undefined if the form does not have it. */
  readonly name: string | undefined
  readonly message: string
}

interface FormState {
  readonly refusal: Refusal | undefined
  readonly busy: boolean
  readonly clearError: (name: string) => void
  /** The fields on the page, with their labels. */
  readonly labels: Map<string, string>
}

const [FormProvider, useFormState] = requiredContext<FormState>("A field outside of a form")

/** The longest name that an API message begins with; it may go on with a path (`config.theme.primary must be`). */
const fieldOf = (message: string, names: Iterable<string>): string | undefined =>
  [...names]
    .filter(
      (name) => message === name || (message.startsWith(name) && /^[ .[]/.test(message.slice(name.length)))
    )
    .sort((left, right) => right.length - left.length)[0]

/** Replaces the field's name with its label: `expiresAt must be ...` becomes "Expires must be ...". */
const inWords = (message: string, name: string, label: string): string =>
  message.startsWith(`${name} `) ? `${label}${message.slice(name.length)}` : message

type Names = Readonly<Record<string, string>>

/** Finds the field that a failure is about. `about` is as in the form's props. */
const refusalOf = (
  { message, status }: ApiFailure,
  about: Names,
  labels: ReadonlyMap<string, string>
): Refusal => {
  const name = about[message] ?? (status < 500 ? fieldOf(message, labels.keys()) : undefined)
  const label = name === undefined ? undefined : labels.get(name)
  return name === undefined || label === undefined
    ? { name: undefined, message }
    : { name, message: inWords(message, name, label) }
}

interface FormProps {
  /** If it rejects, the form shows the error. */
  readonly onSubmit: () => Promise<void>
  /** Messages that do not begin with their field's name, and that field. */
  readonly about?: Names
  readonly class?: string
  readonly label?: string
  readonly children: ComponentChildren
}

/** Cannot be submitted again while a submission is running. */
export const Form = ({ about = {}, children, class: look = "form", label, onSubmit }: FormProps) => {
  const { busy, clear, failure, run } = useAction()
  const labels = useRef(new Map<string, string>())
  const form = useRef<HTMLFormElement>(null)
  const refusal = useMemo(() => failure && refusalOf(failure, about, labels.current), [failure])

  // Moves the focus to the error.
  useEffect(() => {
    if (refusal === undefined) return
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')
    wrong?.focus()
  }, [refusal])

  const state: FormState = {
    refusal,
    busy,
    labels: labels.current,
    clearError: (name) => {
      if (refusal?.name === name) clear()
    }
  }
  return (
    <FormProvider value={state}>
      <form
        ref={form}
        class={look}
        noValidate
        aria-label={label}
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) void run(onSubmit)
        }}
      >
        {refusal !== undefined && refusal.name === undefined ? <Alert>{refusal.message}</Alert> : null}
        {children}
      </form>
    </FormProvider>
  )
}

export interface ControlProps {
  /** The field's name in the API. */
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly optional?: boolean
}

/** The attributes that connect a form control to its label, hint and errors. */
export const useControl = ({ hint, label, name }: ControlProps) => {
  const { labels, clearError, refusal } = useFormState()
  const id = useId()
  useEffect(() => {
    labels.set(name, label)
    return () => void labels.delete(name)
  }, [name, label])
  const error = refusal?.name === name ? refusal.message : undefined
  return {
    id,
    error,
    clearError: () => clearError(name),
    props: { id, name, "aria-invalid": error !== undefined, "aria-describedby": describedBy(id, hint, error) }
  }
}

/** The values of a form's fields by name, and the props that connect a field to its value. */
export const useFields = <Values extends object>(initial: Values) => {
  const [values, setValues] = useState(initial)
  return {
    values,
    field: <Name extends keyof Values & string>(name: Name) => ({
      name,
      value: values[name],
      onChange: (value: Values[Name]) => setValues((before) => ({ ...before, [name]: value }))
    }),
    reset: () => setValues(initial)
  }
}

interface FieldProps extends ControlProps {
  readonly control: ReturnType<typeof useControl>
  readonly children: ComponentChildren
}

export const Field = ({ children, control: { error, id }, hint, label, optional = false }: FieldProps) => (
  <Labelled id={id} label={label} hint={hint} error={error} optional={optional ? "optional" : undefined}>
    {children}
  </Labelled>
)

/** Check boxes or radio buttons that share a label and an error. */
export const FieldGroup = ({
  children,
  control: { error, id, props },
  label
}: Pick<FieldProps, "children" | "control" | "label">) => (
  <fieldset
    class={error === undefined ? "choices" : "choices wrong"}
    id={id}
    aria-describedby={props["aria-describedby"]}
  >
    <legend>{label}</legend>
    {children}
    {error === undefined ? null : (
      <p class="error" id={`${id}-error`}>
        {error}
      </p>
    )}
  </fieldset>
)

export const Submit = ({ children }: { readonly children: ComponentChildren }) => {
  const { busy } = useFormState()
  return (
    <Button look="primary" submits busy={busy}>
      {children}
    </Button>
  )
}
