/**
 * Forms that show the API's errors at the fields they are about and keep the input. `@tanstack/form-core` takes 3 kB
 * and would still leave this file's work to us: finding the field for an API message, focus, and labels for screen
 * readers.
 */
import type { ComponentChildren } from "preact"
import { createContext } from "preact"
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks"
import { Alert, Button, describedBy, Field as Labelled } from "../../ui/parts.tsx"
import { failureOf } from "./call.ts"

interface FormState {
  /** The errors by field name. */
  readonly errors: ReadonlyMap<string, string>
  readonly busy: boolean
  readonly mend: (name: string) => void
  /** The fields on the page, with their labels. */
  readonly labels: Map<string, string>
}

const FormContext = createContext<FormState | undefined>(undefined)

const useFormState = (): FormState => {
  const form = useContext(FormContext)
  if (form === undefined) throw new Error("A field outside of a form")
  return form
}

/**
 * The field that an API message is about. A message begins with the field's name or with a path in the field
 * (`config.theme.primary must be ...`). The longest matching name wins.
 */
const fieldOf = (message: string, names: Iterable<string>): string | undefined =>
  [...names]
    .filter(
      (name) => message === name || (message.startsWith(name) && /^[ .[]/.test(message.slice(name.length)))
    )
    .sort((left, right) => right.length - left.length)[0]

/** Replaces the field's name with its label: `expiresAt must be ...` becomes "Expires must be ...". */
const inWords = (message: string, name: string, label: string | undefined): string =>
  label !== undefined && message.startsWith(`${name} `) ? `${label}${message.slice(name.length)}` : message

interface FormProps {
  /** If this rejects with an `ApiFailure`, the form shows the failure. */
  readonly onSubmit: () => Promise<void>
  /** The field for messages that do not begin with its name, by the whole message. */
  readonly about?: Readonly<Record<string, string>>
  readonly class?: string
  readonly label?: string
  readonly children: ComponentChildren
}

/** A form of fields from this file. It cannot be submitted again while a submission is running. */
export const Form = ({ about = {}, children, class: look = "form", label, onSubmit }: FormProps) => {
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map())
  const [general, setGeneral] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [round, setRound] = useState(0)
  const labels = useRef(new Map<string, string>())
  const form = useRef<HTMLFormElement>(null)
  const shown = useRef(true)

  useEffect(
    () => () => {
      shown.current = false
    },
    []
  )

  // Moves the focus to the first error, for all readers.
  useEffect(() => {
    if (round === 0) return
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')
    wrong?.focus()
  }, [round])

  const refuse = (cause: unknown) => {
    const { message, status } = failureOf(cause)
    const name = about[message] ?? (status < 500 ? fieldOf(message, labels.current.keys()) : undefined)
    if (name === undefined || !labels.current.has(name)) setGeneral(message)
    else setErrors(new Map([[name, inWords(message, name, labels.current.get(name))]]))
    setRound((before) => before + 1)
  }

  const submit = async () => {
    setErrors(new Map())
    setGeneral(undefined)
    setBusy(true)
    try {
      await onSubmit()
    } catch (cause) {
      if (shown.current) refuse(cause)
    } finally {
      if (shown.current) setBusy(false)
    }
  }

  const state: FormState = {
    errors,
    busy,
    labels: labels.current,
    mend: (name) => {
      if (!errors.has(name)) return
      setErrors(new Map([...errors].filter(([other]) => other !== name)))
    }
  }
  return (
    <FormContext.Provider value={state}>
      <form
        ref={form}
        class={look}
        noValidate
        {...(label === undefined ? {} : { "aria-label": label })}
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) void submit()
        }}
      >
        {general === undefined ? null : <Alert>{general}</Alert>}
        {children}
      </form>
    </FormContext.Provider>
  )
}

export interface ControlProps {
  /** The field's name in the API. */
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly optional?: boolean
}

interface Control {
  readonly id: string
  readonly error: string | undefined
  readonly props: {
    readonly id: string
    readonly name: string
    readonly "aria-invalid": boolean
    readonly "aria-describedby": string | undefined
  }
  readonly mend: () => void
}

/** The attributes that connect a form control to its label, hint and errors. */
export const useControl = ({ hint, label, name }: ControlProps): Control => {
  const { errors, labels, mend } = useFormState()
  const id = useId()
  useEffect(() => {
    labels.set(name, label)
    return () => void labels.delete(name)
  }, [name, label])
  const error = errors.get(name)
  return {
    id,
    error,
    mend: () => mend(name),
    props: { id, name, "aria-invalid": error !== undefined, "aria-describedby": describedBy(id, hint, error) }
  }
}

interface FieldProps extends ControlProps {
  readonly control: Control
  readonly children: ComponentChildren
}

/** A form field that shows its own error. */
export const Field = ({ children, control: { error, id }, hint, label, optional = false }: FieldProps) => (
  <Labelled id={id} label={label} hint={hint} error={error} optional={optional ? "optional" : undefined}>
    {children}
  </Labelled>
)

interface SubmitProps {
  readonly children: ComponentChildren
  readonly look?: "primary" | "danger"
}

export const Submit = ({ children, look = "primary" }: SubmitProps) => {
  const { busy } = useFormState()
  return (
    <Button look={look} submits busy={busy}>
      {children}
    </Button>
  )
}
