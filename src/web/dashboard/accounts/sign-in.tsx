import type { ComponentChildren, ComponentProps } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { Mark } from "../../brand/drawn.tsx"
import { Button } from "../../ui/parts.tsx"
import type { Account } from "../common/account.ts"
import { doorlock } from "../common/call.ts"
import { Dialog } from "../common/dialog.tsx"
import { TextField } from "../common/fields.tsx"
import { Form, Submit, useFields } from "../common/form.tsx"
import { Link } from "../common/router.tsx"
import { signupIsOpen } from "../common/surroundings.ts"

interface EntranceProps {
  readonly title: string
  readonly children: ComponentChildren
}

/** A page for signed-out users. */
export const Entrance = ({ children, title }: EntranceProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${title} · doorlock`
    heading.current?.focus()
  }, [title])
  return (
    <main class="entrance">
      <a href="/" class="brand">
        <Mark /> doorlock
      </a>
      <div class="section">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </div>
    </main>
  )
}

export const NewPasswordField = (
  field: Pick<ComponentProps<typeof TextField>, "name" | "label" | "value" | "onChange">
) => (
  <TextField
    {...field}
    type="password"
    autocomplete="new-password"
    hint="12 characters or more. A few words are easier to remember than random characters."
  />
)

interface SignInProps {
  readonly onSignedIn: (account: Account) => void
}

interface SignInAgainProps extends SignInProps {
  readonly email: string
}

/** `email` is that of an expired session, and cannot be changed. */
const SignInForm = ({ email = "", onSignedIn }: SignInProps & Partial<SignInAgainProps>) => {
  const { field, values } = useFields({ email, password: "" })
  return (
    <Form label="Sign in" onSubmit={async () => onSignedIn(await doorlock.account.login(values))}>
      <TextField
        {...field("email")}
        label="Email"
        type="email"
        autocomplete="username"
        readOnly={email !== ""}
      />
      <TextField {...field("password")} label="Password" type="password" autocomplete="current-password" />
      <Submit>Sign in</Submit>
    </Form>
  )
}

export const SignIn = ({ onSignedIn }: SignInProps) => (
  <Entrance title="Sign in">
    <SignInForm onSignedIn={onSignedIn} />
    {signupIsOpen() ? (
      <p class="aside">
        New here? <Link to="/dashboard/sign-up">Sign up your company</Link>
      </p>
    ) : null}
  </Entrance>
)

/** From an old link. Nobody fills in a form in vain. */
const SignUpClosed = () => (
  <Entrance title="Sign-up is closed">
    <p>
      Only the operator of this service can add a company. If yours is here already, ask one of its owners to
      invite you.
    </p>
    <Link to="/dashboard" class="button">
      Sign in
    </Link>
  </Entrance>
)

export const SignUp = ({ onSignedIn }: SignInProps) => {
  const { field, values } = useFields({ companyName: "", email: "", password: "" })
  if (!signupIsOpen()) return <SignUpClosed />
  return (
    <Entrance title="Sign up">
      <Form
        label="Sign up"
        about={{ "Email is already registered": "email" }}
        onSubmit={async () => onSignedIn(await doorlock.account.signup(values))}
      >
        <TextField {...field("companyName")} label="Company name" autocomplete="organization" />
        <TextField {...field("email")} label="Email" type="email" autocomplete="username" />
        <NewPasswordField {...field("password")} label="Password" />
        <Submit>Sign up</Submit>
      </Form>
      <p class="aside">
        Has your company signed up already? <Link to="/dashboard">Sign in</Link>, or ask one of its owners to
        invite you.
      </p>
    </Entrance>
  )
}

/** Covers the open page when the session has expired, so that no input is lost and nobody else sees the page. */
export const SignInAgain = ({ email, onSignedIn }: SignInAgainProps) => (
  <Dialog title="Your session has ended" look="covers">
    <p>Sign in again to continue. What you typed is still here.</p>
    <SignInForm email={email} onSignedIn={onSignedIn} />
    <p class="aside">
      <Button look="quiet" onClick={() => location.assign("/dashboard")}>
        Leave this page
      </Button>
    </p>
  </Dialog>
)

/** Covers a user's page after somebody else has signed in in the same browser: its actions would be theirs. */
export const SomebodyElse = ({ email }: { readonly email: string }) => (
  <Dialog title="Somebody else has signed in" look="covers">
    <p>
      This page belongs to {email}, but somebody else has since signed in in another tab of this browser. You
      can use the page once {email} has signed in there again.
    </p>
    <div class="row dialog-actions">
      <Button onClick={() => location.assign("/dashboard")}>Leave this page</Button>
    </div>
  </Dialog>
)
