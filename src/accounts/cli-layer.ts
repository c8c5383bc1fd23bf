import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import { AdministrationRepo } from "./administration-repo.ts"
import { Administration } from "./administration-service.ts"
import { Passwords } from "./passwords.ts"
import { AccountRepo } from "./repo.ts"

export const useCases = Administration

export const layer = Administration.Default.pipe(
  Layer.provide(Layer.mergeAll(AccountRepo.Default, AdministrationRepo.Default, Passwords.Default)),
  Layer.provideMerge(audit.layer)
)
