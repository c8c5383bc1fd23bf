/** The signed-in user. */
import { requiredContext } from "../../context.ts"
import type { Answer } from "./call.ts"

export type Account = Answer<"account.me">

export type Role = Account["user"]["role"]

export const [AccountProvider, useAccount] = requiredContext<Account>("Nobody is signed in")

/** Whether to offer changes. The server decides; this hides what it would refuse. */
export const useMayWrite = (): boolean => {
  const { role } = useAccount().user
  return role === "owner" || role === "member"
}

export const useIsOwner = (): boolean => useAccount().user.role === "owner"

/** Whether to offer decisions on sessions. */
export const useMayReview = (): boolean => useAccount().user.role !== "viewer"

export const useIsReviewer = (): boolean => useAccount().user.role === "reviewer"
