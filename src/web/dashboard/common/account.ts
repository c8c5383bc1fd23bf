/** The signed-in user. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Answer } from "./contract.ts"

export type Account = Answer<"account.me">

export type Role = Account["user"]["role"]

export const AccountContext = createContext<Account | undefined>(undefined)

export const useAccount = (): Account => {
  const account = useContext(AccountContext)
  if (account === undefined) throw new Error("Nobody is signed in")
  return account
}

/** Whether to offer changes. The server decides; this hides what it would refuse. */
export const useMayWrite = (): boolean => useAccount().user.role !== "viewer"

export const useIsOwner = (): boolean => useAccount().user.role === "owner"
