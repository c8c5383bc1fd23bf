/** The TypeScript client, as a package that `npm install` and `bun add` take by its address. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import service from "../../package.json" with { type: "json" }
import * as Assets from "./assets.ts"

/** The same file whenever it is read, because package managers keep its hash in their lock files. */
const tarball = (name: string) =>
  Assets.make(`/client/${name}.tgz`, "application/gzip", () =>
    Bun.file(`${import.meta.dirname}/../client/doorlock-client.tgz`).bytes()
  )

export const layer = HttpApiBuilder.Router.use((router) =>
  Assets.addRoutes(router, ["doorlock-client", `doorlock-client-${service.version}`].map(tarball))
)
