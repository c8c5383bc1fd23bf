/** What commands do, on the database: loaded by those that need it, since `--help` needs none of it. */
import * as Layer from "effect/Layer"
import { AdministrationRepo } from "../accounts/administration-repo.ts"
import { Administration } from "../accounts/administration-service.ts"
import { Passwords } from "../accounts/passwords.ts"
import { Anchored } from "../audit/anchored-service.ts"
import * as configuredAnchors from "../audit/configured-anchors.ts"
import { AuditRepo } from "../audit/repo.ts"
import { Audit } from "../audit/service.ts"
import { LastUsed } from "../keys/last-used.ts"
import { ApiKeyRepo } from "../keys/repo.ts"
import { ApiKeys } from "../keys/service.ts"
import { KeyVerification } from "../keys/verification.ts"
import { InstanceRepo } from "../kyc/instances/repo.ts"
import { Instances } from "../kyc/instances/service.ts"
import { PartnerSessionRepo } from "../kyc/sessions/partner-repo.ts"
import { PartnerSessions } from "../kyc/sessions/partner-service.ts"
import { TimelineRepo } from "../kyc/timeline/repo.ts"
import { Timelines } from "../kyc/timeline/service.ts"
import { ApiDescriptions } from "../marketplace/catalog/descriptions.ts"
import { DocumentStates } from "../marketplace/catalog/document-states-service.ts"
import { FragmentRepo } from "../marketplace/catalog/fragment-repo.ts"
import { ApiLists } from "../marketplace/catalog/lists.ts"
import { OpenApiDocuments } from "../marketplace/catalog/openapi-documents.ts"
import { PublishedUpstreams } from "../marketplace/catalog/published-upstreams-service.ts"
import { PublishingRepo } from "../marketplace/catalog/publishing-repo.ts"
import { BecomePublisher } from "../marketplace/catalog/publishing-requests-api.ts"
import { Publishing } from "../marketplace/catalog/publishing-service.ts"
import { Releases } from "../marketplace/catalog/release-service.ts"
import { CatalogRepo } from "../marketplace/catalog/repo.ts"
import { TakedownRepo } from "../marketplace/catalog/takedown-repo.ts"
import { Takedowns } from "../marketplace/catalog/takedown-service.ts"
import * as storedKey from "../secrets/stored-key.ts"
import * as upstreams from "../upstreams.ts"
import * as database from "./database.ts"

/** The use cases that have a command. */
export const layer = Layer.mergeAll(
  Administration.Default,
  ApiKeys.Default,
  Instances.Default,
  PartnerSessions.Default,
  Releases.Default,
  Takedowns.Default,
  Timelines.Default
).pipe(
  Layer.provide(Publishing.Default),
  Layer.provideMerge(Anchored.Default.pipe(Layer.provide(configuredAnchors.layer))),
  Layer.provideMerge(Audit.Default),
  Layer.provide(Layer.mergeAll(Passwords.Default, KeyVerification.Default, upstreams.layer)),
  Layer.provide(Layer.mergeAll(ApiDescriptions.Default, ApiLists.Default, LastUsed.Default)),
  Layer.provide(OpenApiDocuments.Default),
  Layer.provide(
    Layer.mergeAll(
      AdministrationRepo.Default,
      ApiKeyRepo.Default,
      AuditRepo.Default,
      CatalogRepo.Default,
      FragmentRepo.Default,
      InstanceRepo.Default,
      PartnerSessionRepo.Default,
      PublishingRepo.Default,
      TakedownRepo.Default,
      TimelineRepo.Default
    )
  ),
  Layer.provide(storedKey.layer),
  Layer.provideMerge(database.layer)
)

/** For `doctor`, which has a database of its own. */
export const anchored = Anchored.Default.pipe(
  Layer.provide(configuredAnchors.layer),
  Layer.provide(AuditRepo.Default)
)

/** Likewise. */
export const published = Layer.merge(PublishedUpstreams.Default, DocumentStates.Default).pipe(
  Layer.provide(CatalogRepo.Default)
)

export {
  Administration,
  Anchored,
  ApiKeys,
  Audit,
  BecomePublisher,
  Instances,
  PartnerSessions,
  Releases,
  Takedowns,
  Timelines
}
