/** A value that components observe. */
import { useEffect, useState } from "preact/hooks"

export interface Store<S> {
  readonly get: () => S
  /** Replaces the given properties. */
  readonly set: (change: Partial<S>) => void
  readonly subscribe: (listener: () => void) => () => void
}

export const createStore = <S extends object>(initial: S): Store<S> => {
  let state = initial
  const listeners = new Set<() => void>()
  return {
    get: () => state,
    set: (change) => {
      state = { ...state, ...change }
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}

export const useStore = <S extends object>(store: Store<S>): S => {
  const [state, setState] = useState(store.get)
  useEffect(() => {
    const look = () => setState(store.get)
    // The value may have changed between the first render and this effect.
    look()
    return store.subscribe(look)
  }, [store])
  return state
}
