/** The dashboard: who is signed in, and which page they see. */
import { useEffect, useRef, useState } from "preact/hooks"
import { AcceptInvitation } from "./accounts/invitation.tsx"
import { SignIn, SignInAgain, SignUp, SomebodyElse } from "./accounts/sign-in.tsx"
import { type Account, AccountProvider } from "./common/account.ts"
import { doorlock, failureOf, whenSignedOut } from "./common/call.ts"
import { forgetPlaces } from "./common/places.ts"
import { Failed, Loading, useResource } from "./common/resource.tsx"
import { mayLeave, navigate, useLocation } from "./common/router.tsx"
import { hadSession } from "./common/surroundings.ts"
import { releaseClaims, renewClaims } from "./kyc/reviews/claiming.ts"
import { forgetDecisions, holdDecisions, sendDecisions } from "./kyc/reviews/deciding.ts"
import { useLosing } from "./kyc/reviews/decisions-made.tsx"
import { forgetQueue } from "./kyc/reviews/queue-order.ts"
import { forgetRecent } from "./palette/recent.ts"
import { Shell } from "./shell.tsx"

/** Tells the browser's other tabs who is signed in: all tabs share the session cookie. */
const channel = new BroadcastChannel("doorlock dashboard")

/** Sends the id of the user who signed in; null after signing out. */
const tellTabs = (user: string | null): void => channel.postMessage(user)

/** Returns a function that unsubscribes. */
const hearTabs = (hear: (user: string | null) => void): (() => void) => {
  const take = ({ data }: MessageEvent<string | null>) => hear(data)
  channel.addEventListener("message", take)
  return () => channel.removeEventListener("message", take)
}

const loadAccount = async (signal: AbortSignal): Promise<Account | null> => {
  // Without a session, the question would be an error on the console.
  if (!hadSession()) return null
  try {
    return await doorlock.account.me({ signal })
  } catch (cause) {
    if (failureOf(cause).status === 401) return null
    throw cause
  }
}

/** `invitation` is the token of the invitation link that opened the page. */
export const App = ({ invitation }: { readonly invitation: string | undefined }) => {
  const loaded = useResource(loadAccount, [])
  const account = loaded.value ?? undefined
  const { path } = useLocation()
  /** Resumes the calls that wait until the user has signed in again. */
  const waiting = useRef<Array<() => void>>([])
  const losing = useLosing()
  /** The dialog over the page. */
  const [over, setOver] = useState<"nothing" | "sign-in" | "somebody else">("nothing")

  const signedIn = (user: Account) => {
    loaded.set(() => user)
    tellTabs(user.user.id)
  }

  const askToSignIn = () => {
    setOver("sign-in")
    return new Promise<void>((resolve) => waiting.current.push(resolve))
  }

  const isSignedIn = account !== undefined
  useEffect(() => whenSignedOut(isSignedIn ? askToSignIn : undefined), [isSignedIn])

  const resume = () => {
    setOver("nothing")
    for (const go of waiting.current.splice(0)) go()
  }

  useEffect(() => {
    if (account === undefined) return undefined
    // The page shows one user's data, but requests act as the user who owns the cookie now.
    return hearTabs((user) => {
      if (user === account.user.id) {
        resume()
        return
      }
      holdDecisions()
      forgetRecent()
      setOver(user === null ? "sign-in" : "somebody else")
    })
  }, [account])

  const signOut = async () => {
    if (!(await mayLeave())) return
    await sendDecisions()
    if (!(await losing.ask())) return
    whenSignedOut(undefined)
    await releaseClaims()
    try {
      await doorlock.account.logout()
    } catch (cause) {
      // 401 means that the user is already signed out.
      if (failureOf(cause).status !== 401) {
        whenSignedOut(askToSignIn)
        renewClaims()
        throw cause
      }
    }
    forgetDecisions()
    forgetQueue()
    forgetRecent()
    forgetPlaces()
    loaded.set(() => null)
    tellTabs(null)
    void navigate("/dashboard", { agreed: true, replace: true })
  }

  const signedInAgain = (again: Account) => {
    if (again.user.id !== account?.user.id) {
      forgetDecisions()
      forgetRecent()
      location.reload()
      return
    }
    signedIn(again)
    resume()
  }
  const enter = (user: Account) => {
    signedIn(user)
    void navigate("/dashboard", { replace: true })
  }

  if (invitation !== undefined && path === "/dashboard/invitation") {
    return <AcceptInvitation token={invitation} onSignedIn={enter} />
  }
  if (loaded.failure !== undefined) {
    return (
      <main class="entrance">
        <Failed failure={loaded.failure} onRetry={loaded.reload} />
      </main>
    )
  }
  if (loaded.value === undefined) return <Loading />
  if (account === undefined) {
    return path === "/dashboard/sign-up" ? <SignUp onSignedIn={enter} /> : <SignIn onSignedIn={signedIn} />
  }
  return (
    <AccountProvider value={account}>
      <Shell onSignOut={signOut} />
      {losing.question}
      {over === "sign-in" ? <SignInAgain email={account.user.email} onSignedIn={signedInAgain} /> : null}
      {over === "somebody else" ? <SomebodyElse email={account.user.email} /> : null}
    </AccountProvider>
  )
}
