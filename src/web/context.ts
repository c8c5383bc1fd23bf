import { createContext } from "preact"
import { useContext } from "preact/hooks"

/** A context without a default: its provider, and a hook that throws `message` outside of it. */
export const requiredContext = <T>(message: string) => {
  const context = createContext<T | undefined>(undefined)
  const useValue = (): T => {
    const value = useContext(context)
    if (value === undefined) throw new Error(message)
    return value
  }
  return [context.Provider, useValue] as const
}
