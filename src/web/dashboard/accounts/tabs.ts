/** What the tabs of a browser tell each other: who is signed in in one of them is so in all, since they share a cookie. */

/** The id of who has signed in; null when they have signed out. */
type SignedIn = string | null

const channel = new BroadcastChannel("doorlock dashboard")

export const tellTabs = (user: SignedIn): void => channel.postMessage(user)

/** Calls back with what another tab tells; returns how to stop that. */
export const hearTabs = (hear: (user: SignedIn) => void): (() => void) => {
  const take = ({ data }: MessageEvent<SignedIn>) => hear(data)
  channel.addEventListener("message", take)
  return () => channel.removeEventListener("message", take)
}
