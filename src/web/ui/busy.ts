import { useState } from "preact/hooks"

/** Runs actions, and says whether one is under way. */
export const useBusy = () => {
  const [busy, setBusy] = useState(false)
  const run = async <A>(act: () => Promise<A>): Promise<A> => {
    setBusy(true)
    try {
      return await act()
    } finally {
      setBusy(false)
    }
  }
  return { busy, run }
}
