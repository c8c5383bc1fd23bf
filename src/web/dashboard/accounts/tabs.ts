/** Tells the browser's other tabs who is signed in: all tabs share the session cookie. */

/** The id of the user who signed in; null after signing out. */
type SignedIn = string | null

const channel = new BroadcastChannel("doorlock dashboard")

export const tellTabs = (user: SignedIn): void => channel.postMessage(user)

/** Calls back with messages from other tabs; returns a function that unsubscribes. */
export const hearTabs = (hear: (user: SignedIn) => void): (() => void) => {
  const take = ({ data }: MessageEvent<SignedIn>) => hear(data)
  channel.addEventListener("message", take)
  return () => channel.removeEventListener("message", take)
}
