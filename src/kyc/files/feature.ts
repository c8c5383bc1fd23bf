import { Effect, Layer } from "effect"
import { CallerCredential } from "../../keys/credential.ts"
import { FileUploadApi, PartnerFilesApi } from "./api.ts"
import * as configuredStore from "./configured-store.ts"
import { Examination } from "./examination.ts"
import * as http from "./http.ts"
import { Intake } from "./intake.ts"
import { removalWork } from "./removal.ts"
import { FileRepo } from "./repo.ts"
import { Files } from "./service.ts"

/** The photos and documents of a session. */
export const files = {
  contract: [FileUploadApi, PartnerFilesApi],
  routes: http.layer,
  credentials: Layer.provide(http.credentials, CallerCredential.Default),
  services: Files.Default.pipe(
    Layer.provideMerge(Layer.mergeAll(Intake.Default, Examination.Default, configuredStore.layer)),
    Layer.provideMerge(FileRepo.Default)
  ),
  work: [removalWork],
  housekeeping: { files: Effect.flatMap(Files, ({ sweep }) => sweep) }
} as const
