import { Effect, Layer } from "effect"
import { AccountApi, SignInApi } from "./api.ts"
import { DashboardCredential } from "./credential.ts"
import { Devices } from "./devices.ts"
import * as http from "./http.ts"
import { InvitationsRepo } from "./invitations-repo.ts"
import { AcceptanceApi, InvitationsApi, MembersApi } from "./members-api.ts"
import * as membersHttp from "./members-http.ts"
import { MembersRepo } from "./members-repo.ts"
import { Members } from "./members-service.ts"
import { Passwords } from "./passwords.ts"
import { AccountRepo } from "./repo.ts"
import { Accounts } from "./service.ts"

export const accounts = {
  contract: [SignInApi, AccountApi, MembersApi, InvitationsApi, AcceptanceApi],
  routes: Layer.merge(http.layer, membersHttp.layer),
  credentials: Layer.provide(http.credentials, DashboardCredential.Default),
  services: Layer.merge(Accounts.Default, Members.Default).pipe(
    Layer.provideMerge(Layer.merge(Devices.Default, Passwords.Default)),
    Layer.provideMerge(Layer.mergeAll(AccountRepo.Default, MembersRepo.Default, InvitationsRepo.Default))
  ),
  housekeeping: {
    sessions: Effect.flatMap(AccountRepo, ({ deleteExpiredSessions }) => deleteExpiredSessions),
    invitations: Effect.flatMap(InvitationsRepo, ({ deleteExpired }) => deleteExpired)
  }
} as const
