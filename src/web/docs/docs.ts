/** The browser's side of `/docs`: starts Swagger UI. It is sent as a plain script, its types stripped. */

/** The part of the options of Swagger UI that is used, as its configuration reference names them. */
interface SwaggerUiOptions {
  readonly url: string
  readonly dom_id: string
  readonly validatorUrl: null
  readonly deepLinking: boolean
  readonly tryItOutEnabled: boolean
  readonly persistAuthorization: boolean
  readonly displayRequestDuration: boolean
  readonly defaultModelsExpandDepth: number
  readonly requestSnippetsEnabled: boolean
  readonly requestSnippets: {
    readonly generators: Readonly<Record<string, { readonly title: string; readonly syntax: string }>>
    readonly languages: ReadonlyArray<string>
    readonly defaultExpanded: boolean
  }
  readonly requestInterceptor: (request: { url: string }) => { url: string }
}

/** Defined by swagger-ui-bundle.js, which the page loads first. */
declare const SwaggerUIBundle: (options: SwaggerUiOptions) => void

const dark = matchMedia("(prefers-color-scheme: dark)")
const followColorScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches)
dark.addEventListener("change", followColorScheme)
followColorScheme()

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  // Swagger UI would send the document to a validator of its makers.
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  // A key typed in here is forgotten with the page.
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: { curl_bash: { title: "curl", syntax: "bash" } },
    languages: ["curl_bash"],
    defaultExpanded: true
  },
  // The document names the server's public address. The page may speak only to the server it came from, which is the same
  // one under whatever name it was opened.
  requestInterceptor: (request) => {
    const { pathname, search } = new URL(request.url, location.origin)
    request.url = `${location.origin}${pathname}${search}`
    return request
  }
})
