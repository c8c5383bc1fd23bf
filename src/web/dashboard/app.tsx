/** The dashboard: who is signed in, and which page they see. */
import { useEffect, useRef, useState } from "preact/hooks"
import { AcceptInvitation } from "./accounts/invitation.tsx"
import { SignIn, SignInAgain, SignUp, SomebodyElse } from "./accounts/sign-in.tsx"
import { hearTabs, tellTabs } from "./accounts/tabs.ts"
import { type Account, AccountContext } from "./common/account.ts"
import { ApiFailure, call, failureOf, whenSignedOut } from "./common/call.ts"
import { Failed, Loading } from "./common/resource.tsx"
import { mayLeave, navigate, useLocation } from "./common/router.tsx"
import { Shell } from "./shell.tsx"

type State =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly failure: ApiFailure }
  | { readonly kind: "out" }
  | { readonly kind: "in"; readonly account: Account }

interface AppProps {
  /** The token of the invitation link that opened the page. */
  readonly invitation: string | undefined
}

export const App = ({ invitation }: AppProps) => {
  const [state, setState] = useState<State>({ kind: "loading" })
  const { path } = useLocation()
  /** Called after the user has signed in again, for the calls that wait for it. */
  const waiting = useRef<Array<() => void>>([])
  /** The dialog over the page. */
  const [over, setOver] = useState<"nothing" | "sign-in" | "somebody else">("nothing")

  const signedIn = (account: Account) => {
    setState({ kind: "in", account })
    tellTabs(account.user.id)
  }

  const look = async () => {
    setState({ kind: "loading" })
    try {
      const account = await call("account.me")
      setState({ kind: "in", account })
    } catch (cause) {
      const failure = failureOf(cause)
      setState(failure.status === 401 ? { kind: "out" } : { kind: "failed", failure })
    }
  }

  useEffect(() => void look(), [])

  const askToSignIn = () => {
    setOver("sign-in")
    return new Promise<void>((resolve) => waiting.current.push(resolve))
  }

  useEffect(() => whenSignedOut(state.kind === "in" ? askToSignIn : undefined), [state.kind])

  const resume = () => {
    setOver("nothing")
    for (const go of waiting.current.splice(0)) go()
  }

  useEffect(() => {
    if (state.kind !== "in") return undefined
    // The page shows data of the user it was loaded for, but new requests would act as the user who now owns the
    // cookie.
    return hearTabs((user) => {
      if (user === null) setOver("sign-in")
      else if (user === state.account.user.id) resume()
      else setOver("somebody else")
    })
  }, [state])

  const signOut = async () => {
    if (!(await mayLeave())) return
    whenSignedOut(undefined)
    try {
      await call("account.logout")
    } catch (cause) {
      // 401 means that the user is already signed out.
      if (!(cause instanceof ApiFailure) || cause.status !== 401) {
        whenSignedOut(askToSignIn)
        throw cause
      }
    }
    setState({ kind: "out" })
    tellTabs(null)
    void navigate("/dashboard", { asked: true, replace: true })
  }

  const signedInAgain = (account: Account) => {
    // The page shows data of the user it was loaded for.
    if (state.kind !== "in" || account.user.id !== state.account.user.id) {
      location.reload()
      return
    }
    signedIn(account)
    resume()
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
          {over === "sign-in" ? (
            <SignInAgain email={state.account.user.email} onSignedIn={signedInAgain} />
          ) : null}
          {over === "somebody else" ? <SomebodyElse email={state.account.user.email} /> : null}
        </AccountContext.Provider>
      )
  }
}
