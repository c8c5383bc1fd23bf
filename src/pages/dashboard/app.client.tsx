/** The dashboard: who is signed in, and what is shown to them. */
import { useEffect, useRef, useState } from "preact/hooks"
import { type Account, AccountContext } from "./account.client.ts"
import { ApiFailure, failureOf, get, post, whenSignedOut } from "./api.client.ts"
import { Failed, Loading } from "./data.client.tsx"
import { AcceptInvitation } from "./invitation.client.tsx"
import { navigate, usePlace } from "./router.client.tsx"
import { Shell } from "./shell.client.tsx"
import { SignIn, SignInAgain, SignUp } from "./sign-in.client.tsx"

type State =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly failure: ApiFailure }
  | { readonly kind: "out" }
  | { readonly kind: "in"; readonly account: Account }

interface AppProps {
  /** The token of an invitation by whose link the page was opened. */
  readonly invitation: string | undefined
}

export const App = ({ invitation }: AppProps) => {
  const [state, setState] = useState<State>({ kind: "loading" })
  const { path } = usePlace()
  /** Called when somebody has signed in again, for the calls that wait for it. */
  const waiting = useRef<Array<() => void>>([])
  const [again, setAgain] = useState(false)

  const signedIn = (account: Account) => setState({ kind: "in", account })

  const look = async () => {
    setState({ kind: "loading" })
    try {
      signedIn(await get<"account", "me">("/api/auth/me"))
    } catch (cause) {
      const failure = failureOf(cause)
      setState(failure.status === 401 ? { kind: "out" } : { kind: "failed", failure })
    }
  }

  useEffect(() => void look(), [])

  useEffect(() => {
    if (state.kind !== "in") {
      whenSignedOut(undefined)
      return
    }
    whenSignedOut(() => {
      setAgain(true)
      return new Promise((resolve) => waiting.current.push(resolve))
    })
  }, [state.kind])

  const signOut = async () => {
    whenSignedOut(undefined)
    try {
      await post<"account", "logout">("/api/auth/logout", {})
    } catch (cause) {
      // Signed out already is signed out.
      if (!(cause instanceof ApiFailure) || cause.status !== 401) throw cause
    }
    setState({ kind: "out" })
    void navigate("/dashboard", { replace: true })
  }

  const signedInAgain = (account: Account) => {
    // What is on the page belongs to whom it was loaded for.
    if (state.kind !== "in" || account.user.id !== state.account.user.id) {
      location.reload()
      return
    }
    signedIn(account)
    setAgain(false)
    for (const resume of waiting.current.splice(0)) resume()
  }

  if (invitation !== undefined && path === "/dashboard/invitation") {
    return (
      <AcceptInvitation
        token={invitation}
        onSignedIn={(account) => {
          signedIn(account)
          void navigate("/dashboard", { replace: true })
        }}
      />
    )
  }
  switch (state.kind) {
    case "loading":
      return <Loading />
    case "failed":
      return (
        <main class="entrance">
          <Failed failure={state.failure} onRetry={() => void look()} />
        </main>
      )
    case "out":
      return path === "/dashboard/sign-up" ? (
        <SignUp
          onSignedIn={(account) => {
            signedIn(account)
            void navigate("/dashboard", { replace: true })
          }}
        />
      ) : (
        <SignIn onSignedIn={signedIn} />
      )
    case "in":
      return (
        <AccountContext.Provider value={state.account}>
          <Shell onSignOut={signOut} />
          {again ? <SignInAgain email={state.account.user.email} onSignedIn={signedInAgain} /> : null}
        </AccountContext.Provider>
      )
  }
}
